import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { describeChanges, readablePath } from '../../../../src/trial/program/changes.js';

const bytes = (paths: readonly string[]): Buffer[] => paths.map((path) => Buffer.from(path));

const describe_ = (
  changed: readonly string[],
  options: { readonly untracked?: readonly string[]; readonly testFile?: string } = {},
): ReturnType<typeof describeChanges> =>
  describeChanges(
    { testFile: options.testFile ?? 'test/models/user_test.rb', implFiles: ['./app/user.rb'] },
    { changed: bytes(changed), untracked: bytes(options.untracked ?? []) },
  );

describe('what changed paths mean for a task', () => {
  it.each([
    ['nothing', [], false, false, false],
    ['an implementation file', ['app/user.rb'], true, false, false],
    ['another file', ['app/users.rb'], false, false, false],
    ['the test file', ['test/models/user_test.rb'], false, true, true],
    ['another test', ['test/helper.rb'], false, true, false],
    ['a folder with a similar name', ['testing/x.rb', 'tests'], false, false, false],
    ['the test folder replaced by a file', ['test'], false, true, false],
  ] as const)('for %s', (_name, changed, touchedImplFile, editedTestDir, testFileEdited) => {
    expect(describe_(changed)).toMatchObject({ touchedImplFile, editedTestDir, testFileEdited });
  });

  it('counts new files as well', () => {
    expect(describe_([], { untracked: ['test/new.rb', 'app/user.rb'] })).toEqual({
      changedFiles: [],
      untrackedFiles: ['test/new.rb', 'app/user.rb'],
      touchedImplFile: true,
      editedTestDir: true,
      testFileEdited: false,
    });
  });

  it('takes a test file at the top for a test and not for a folder of tests', () => {
    const options = { testFile: './user_test.rb' };
    expect(describe_(['other.rb'], options)).toMatchObject({ editedTestDir: false });
    expect(describe_(['user_test.rb'], options)).toMatchObject({
      editedTestDir: true,
      testFileEdited: true,
    });
  });
});

describe('the name of a file', () => {
  it('is kept when it is text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (name) => {
        expect(readablePath(Buffer.from(name))).toBe(Buffer.from(name).toString());
      }),
    );
  });

  it('is quoted when it is none, and two names never look the same', () => {
    expect(readablePath(Buffer.of(0x61, 0xff, 0x22))).toBe('"a\\377\\""');
    const notText = fc
      .uint8Array({ minLength: 1, maxLength: 6 })
      .map((array) => Buffer.concat([Buffer.from(array), Buffer.of(0xff)]));
    fc.assert(
      fc.property(notText, notText, (a, b) => {
        expect(readablePath(a) === readablePath(b)).toBe(a.equals(b));
      }),
    );
  });
});
