import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { innerCommand, readShell } from '../../../../src/domain/metrics/shell-class.js';
import {
  shellSegments,
  withoutHereDocuments,
} from '../../../../src/domain/metrics/shell-segments.js';

const words = (command: string) => shellSegments(command).map((segment) => segment.words.join(' '));

describe('a shell command', () => {
  it.each([
    ['a;b && c || d | e', ['a', 'b', 'c', 'd', 'e']],
    ['a\nb\n\nc', ['a', 'b', 'c']],
    ['a & b', ['a', 'b']],
    ['a |& b', ['a', 'b']],
    ['(cd x && ls); y', ['cd x', 'ls', 'y']],
    ['echo \'a; b | c\' "d && e" f\\;g', ['echo a; b | c d && e f;g']],
    ['echo "a \\"b\\" c"', ['echo a "b" c']],
    ['a # b; c\nd', ['a', 'd']],
    ['a b#c', ['a b#c']],
    ['a \\\n  b', ['a b']],
    ['a 2>&1 | b >&2', ['a', 'b']],
    ['a > out.txt 2> err.txt < in.txt', ['a']],
    ['a &> all.txt', ['a']],
    ['cat $(grep -l x -r .)', ['grep -l x -r .', 'cat $(grep -l x -r .)']],
    [
      'echo `ls a` "$(find . -name b)"',
      ['ls a', 'find . -name b', 'echo `ls a` $(find . -name b)'],
    ],
    ['echo $((1 + 2)); a', ['echo $((1 + 2))', 'a']],
    ['cat <<EOF > f\nfind . | grep x\nEOF\nls', ['cat', 'ls']],
    ["cat <<-'END'\n\ta; b\n\tEND\nls", ['cat', 'ls']],
    ['cat <<A; cat <<B\nx;y\nA\nz;w\nB\nls', ['cat', 'cat', 'ls']],
    ['cat <<< "a b"', ['cat']],
    ['cat <<EOF\nnever; ends', ['cat']],
    ["a 'never ends; b", ['a never ends; b']],
    ['', []],
    [' ; ;; && ', []],
  ])('is split: %j', (command, wanted) => {
    expect(words(command)).toEqual(wanted);
  });

  it('never fails and never takes long, whatever the text', () => {
    const piece = fc.constantFrom(
      ...'\'"`$(){}<>|&;#\\\n \tabEOF'.split(''),
      '<<EOF',
      '$(',
      '<<',
      '&&',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 200 }), (pieces) => {
        const text = pieces.join('');
        readShell(text);
        expect(withoutHereDocuments(text).length).toBeLessThanOrEqual(text.length);
      }),
    );
    const startMs = performance.now();
    readShell('$('.repeat(40_000));
    readShell('<<A\n'.repeat(20_000));
    expect(performance.now() - startMs).toBeLessThan(2000);
  });

  it('is kept without the bodies of its documents', () => {
    const command = "cat > app/a.rb <<'EOF'\napp/b.rb\nEOF\nruby app/a.rb";
    expect(withoutHereDocuments(command)).toBe("cat > app/a.rb <<'EOF'\nruby app/a.rb");
  });
});

describe('what a command amounts to', () => {
  it.each([
    ['ls -la && git diff --stat', 'search'],
    ['grep -rn foo . > /tmp/out', 'search'],
    ['/usr/bin/rg foo src', 'search'],
    ['cat a.rb; grep foo b.rb', 'search'],
    ['find . -name "*.rb" | xargs cat', 'search'],
    ['git -C app grep -n foo', 'search'],
    ['git ls-files', 'search'],
    ['bundle exec rake | grep -c error', 'search'],
    ['sudo timeout 10 env A=1 grep x y', 'search'],
    ['if grep -q x y; then true; fi', 'search'],
    ['for f in a b; do tree $f; done', 'search'],
    ['cat $(find . -name a)', 'search'],
    ['cat app/a.rb', 'read'],
    ['sed -n 1,60p app/a.rb', 'read'],
    ['head -20 Gemfile | nl', 'read'],
    ['cd app && cat a.rb', 'read'],
    ["sed -i 's/a/b/' app/a.rb", 'edit'],
    ["sed -n '1p' a; sed -i s/a/b/ a", 'edit'],
    ['apply_patch <<EOF\n*** Begin Patch\ngrep\nEOF', 'edit'],
    ['git apply fix.patch', 'edit'],
    ['perl -pi -e s/a/b/ a.rb', 'edit'],
    ['cat > a.rb <<EOF\nfind_each\nEOF', 'bash'],
    ['bin/rails test 2>&1', 'bash'],
    ['echo find grep cat', 'bash'],
    ['git commit -m "find; grep"', 'bash'],
    ["sed 's/a/b/' a.rb", 'bash'],
    ['ruby -Itest test/a.rb', 'bash'],
    ['for i in 1 2; do sleep 1; done', 'bash'],
    ['', 'bash'],
  ])('%j', (command, kind) => {
    expect(readShell(command).class).toBe(kind);
  });

  it.each([
    ['/bin/bash -lc "cat \'app.py\'"', 'read', ['app.py']],
    ["bash -c 'ls a; cat b c'", 'search', ['b', 'c']],
    ['sh -ec \'bash -lc "head -n 5 x"\'', 'read', ['x']],
    ['bash script.sh -c', 'bash', []],
    ["sed -n '1,5p' a.rb b.rb", 'read', ['a.rb', 'b.rb']],
    ['cat -n "$FILE" plain', 'read', ['plain']],
    ['tail -n +5 a', 'read', ['a']],
  ])('inside a shell: %j', (command, kind, paths) => {
    expect(readShell(command)).toMatchObject({ class: kind, paths });
  });

  it('counts its segments by class', () => {
    const { segments } = readShell('/bin/bash -lc "ls a && cat b | head -3; rake test"');
    expect(segments).toEqual(['search', 'read', 'read', 'bash']);
  });

  it('is looked for in the command that a shell was given', () => {
    expect(innerCommand('/bin/bash -lc "cat app/a.rb"')).toBe('cat app/a.rb');
    expect(innerCommand('cat app/a.rb; ls')).toBe('cat app/a.rb; ls');
  });
});
