import { describe, expect, it } from '@jest/globals';
import {
  errorIn,
  isApiserverDown,
  isNotFound,
} from '../../../../../src/runtimes/containers/apple/call.js';
import { parseFreeGb } from '../../../../../src/runtimes/containers/apple/disk.js';
import {
  parseBuilder,
  parseContainers,
  parseImages,
  parseSystem,
} from '../../../../../src/runtimes/containers/apple/output.js';
import { runFailure } from '../../../../../src/runtimes/containers/apple/run-failure.js';

const DIGEST = 'sha256:25b99501f174';

describe('the list of containers', () => {
  const configuration = (id: string, labels: Record<string, string> = {}) => ({
    id,
    labels,
    image: { reference: 'agent-vm:v1', descriptor: { digest: DIGEST, size: 1609 } },
    resources: { cpus: 2, memoryInBytes: 2 ** 31 },
  });
  const row = { name: 'run-01', running: true, labels: { 'org.example.run': 'r1' } };
  const labels = { 'org.example.run': 'r1' };

  it.each([
    [
      'the state as a text (to 0.12)',
      [{ status: 'running', configuration: configuration('run-01', labels), startedDate: 78.5 }],
    ],
    [
      'the state in an object (from 1.0)',
      [
        {
          id: 'run-01',
          configuration: configuration('run-01', labels),
          status: { state: 'running', networks: [], startedDate: '2026-01-02T03:04:05Z' },
        },
      ],
    ],
  ])('is read with %s', (_what, records) => {
    expect(parseContainers(JSON.stringify(records))).toEqual([row]);
    expect(parseContainers(JSON.stringify(records, null, 2))).toEqual([row]);
    expect(parseContainers(JSON.stringify(records).replaceAll('/', '\\/'))).toEqual([row]);
  });

  it('has no builder in it, and tells what does not run', () => {
    const records = [
      { status: 'running', configuration: configuration('buildkit') },
      { id: 'a', configuration: configuration('a'), status: { state: 'stopped', networks: [] } },
      { id: 'b', configuration: configuration('b'), status: { state: 'stopping', networks: [] } },
    ];
    expect(parseContainers(JSON.stringify(records))).toEqual([
      { name: 'a', running: false, labels: {} },
      { name: 'b', running: false, labels: {} },
    ]);
  });

  it('is found after a note on standard output', () => {
    expect(parseContainers('A note of some version.\n[]\n')).toEqual([]);
  });

  it.each(['', 'apiserver is not running', '{"status":"x"}', '[{"configuration"'])(
    'is told from another answer: %s',
    (output) => {
      expect(parseContainers(output)).toBeNull();
    },
  );
});

describe('the list of images', () => {
  const config = {
    architecture: 'arm64',
    config: { Env: ['A=1', 'PATH=/opt/node/bin:/usr/bin'], Labels: { 'dev.llmx.app': 'shop' } },
  };
  const variants = [
    { platform: { architecture: 'unknown', os: 'unknown' }, digest: 'sha256:1', size: 1_000 },
    {
      platform: { architecture: 'arm64', os: 'linux' },
      digest: 'sha256:77aa',
      size: 41_000_000,
      config,
    },
  ];
  const full = {
    id: DIGEST,
    reference: 'agent-vm:v1',
    sizeBytes: 41_001_000,
    labels: { 'dev.llmx.app': 'shop' },
    path: '/opt/node/bin:/usr/bin',
  };
  const bare = { ...full, sizeBytes: null, labels: {}, path: null };
  const descriptor = { digest: DIGEST, mediaType: 'application/vnd.oci.image.index.v1+json' };

  it.each([
    ['0.8 list', { reference: 'agent-vm:v1', descriptor }, bare],
    ['0.12 list', { reference: 'agent-vm:v1', descriptor, fullSize: '8.8 MB' }, bare],
    ['0.12 inspect', { name: 'agent-vm:v1', index: { digest: DIGEST }, variants }, full],
    [
      '1.2 list and inspect',
      {
        id: '25b99501f174',
        configuration: { creationDate: '2026-01-02T03:04:05Z', name: 'agent-vm:v1', descriptor },
        variants,
      },
      full,
    ],
    [
      'an id without its kind',
      { id: '25b99501f174', configuration: { name: 'agent-vm:v1' } },
      bare,
    ],
  ])('is read: %s', (_what, record, image) => {
    expect(parseImages(JSON.stringify([record]))).toEqual([image]);
  });

  it('has names without the registry that is meant anyway', () => {
    const record = { reference: 'docker.io/library/agent-vm:v1', descriptor };
    expect(parseImages(JSON.stringify([record]))?.[0]?.reference).toBe('agent-vm:v1');
  });

  it('is told from another answer', () => {
    expect(parseImages('NAME      TAG  DIGEST\nagent-vm  v1   25b99501f174\n')).toBeNull();
  });
});

describe('the state of the system', () => {
  const TABLE = `FIELD              VALUE
status             running
appRoot            /data/app/
logRoot            -
apiserver.version  container-apiserver version 1.2.2 (build: release, commit: 0190097)
`;
  const FLAT =
    '{"apiServerVersion":"container-apiserver version 1.2.2 (build: release, commit: 0190097)","appRoot":"\\/data\\/app\\/","status":"running"}';
  const NESTED =
    '{"client":{"version":"1.4.2"},"resources":{"containersRunning":1},"server":{"version":"1.4.1"},"status":"running"}';

  it.each([
    ['the text of 0.9', 0, 'apiserver is running\napplication data root: /x', true, null],
    ['the table of 0.10', 0, TABLE, true, [1, 2, 2]],
    ['JSON to 1.3', 0, FLAT, true, [1, 2, 2]],
    ['JSON from 1.4.1', 0, NESTED, true, [1, 4, 1]],
    ['down, as JSON', 1, '{"status":"unregistered"}', false, null],
    ['down, as text', 1, 'apiserver is not running', false, null],
    ['down, though it ended well', 0, 'apiserver is not running', false, null],
    ['down, though the JSON ended well', 0, '{"status":"not running"}', false, null],
    ['no answer but the exit code', 1, '', false, null],
  ])('is read from %s', (_what, exit, stdout, running, version) => {
    expect(parseSystem({ exit, stdout })).toEqual({ running, version });
  });
});

describe('the state of the builder', () => {
  const record = {
    configuration: { id: 'buildkit', resources: { cpus: 6, memoryInBytes: 8 * 1024 ** 3 } },
  };

  it.each([
    [
      'the table of 1.0',
      `ID        IMAGE                                                STATE    IP               CPUS  MEMORY
buildkit  ghcr.io/apple/container-builder-shim/builder:0.13.1  running  192.168.64.2/24  2     2048 MB`,
      { state: 'running', cpus: 2, memoryMb: 2048 },
    ],
    [
      'the row of 0.1, with capitals and no address',
      `ID       IMAGE                           STATE   ADDR         CPUS MEMORY
buildkit ghcr.io/apple/container-builder-shim/builder:0.6.0 RUNNING  2    2048 MB`,
      { state: 'running', cpus: 2, memoryMb: 2048 },
    ],
    [
      'a row with an address and GB',
      'buildkit  builder:0.6.1  running  192.168.64.3  6     8GB',
      { state: 'running', cpus: 6, memoryMb: 8192 },
    ],
    [
      'a builder that was stopped',
      'buildkit  builder:0.6.1  stopped                6     8192 MB\n',
      { state: 'stopped', cpus: 6, memoryMb: 8192 },
    ],
    [
      'JSON to 0.12',
      JSON.stringify([{ ...record, status: 'running' }]),
      { state: 'running', cpus: 6, memoryMb: 8192 },
    ],
    [
      'JSON from 1.0',
      JSON.stringify([{ ...record, id: 'buildkit', status: { state: 'stopping' } }]),
      { state: 'stopping', cpus: 6, memoryMb: 8192 },
    ],
    ['no builder, in words', 'builder is not running\n', null],
    ['no builder, as JSON', '[]', null],
    ['a container of another name', 'other  x  running  192.168.64.3  6     8GB', null],
  ])('is read from %s', (_what, output, state) => {
    expect(parseBuilder(output)).toEqual(state);
  });
});

describe('what the CLI complains about', () => {
  const DOWN = `Error: internalError: "failed to list containers" (cause: "interrupted: "XPC connection error: Connection invalid"")
Ensure container system service has been started with \`container system start\`.
`;

  it('is found among what it passed on', () => {
    expect(errorIn('from the command\nError: invalid size\n')).toBe('invalid size');
    expect(errorIn('Error: get failed: container nope not found\nUsage: container exec\n')).toBe(
      'get failed: container nope not found',
    );
    expect(errorIn('nothing of the kind')).toBeNull();
  });

  it('is told apart: no apiserver, nothing of that name', () => {
    expect([isApiserverDown(DOWN), isNotFound(DOWN)]).toEqual([true, false]);
    for (const said of [
      'Error: internalError: "failed to stop container" (cause: "notFound: "container with ID nope not found"")',
      'Error: image not found: X',
      'x error com.apple.container: X: Image not found\nError: InspectError(…)',
    ]) {
      expect([isApiserverDown(said), isNotFound(said)]).toEqual([false, true]);
    }
  });

  it.each([
    [0, '', null],
    [3, 'Error: said by the command', null],
    [1, 'TypeError: said by the command', null],
    [1, DOWN, /^apple: internalError: "failed to list/],
    [1, 'Error: failed to run container: x', /^apple: failed to run container/],
    [64, "Error: The value '1.5' is invalid for '-c <cpus>'\nUsage: …", /invalid for '-c <cpus>'/],
    [137, '', /killed \(exit 137\)/],
    [143, '', /told to end/],
    [255, '', /virtual machine was lost/],
    [127, 'bash: line 3: exec: nope: not found', /exec: nope: not found/],
  ])('tells an end of its own from one of the command: %i %j', (exit, stderr, reason) => {
    const failure = runFailure(exit, stderr);
    if (reason === null) expect(failure).toBeNull();
    else expect(failure).toMatch(reason);
  });
});

describe('free space as df has it', () => {
  it.each([
    ['Filesystem 1G-blocks Used Available Capacity\n/dev/disk3s5 460 300 123 75% /System\n', 123],
    ['df: /System/Volumes/Data: No such file or directory', null],
    ['', null],
  ])('is the fourth column of the last line: %j', (output, gb) => {
    expect(parseFreeGb(output)).toBe(gb);
  });
});
