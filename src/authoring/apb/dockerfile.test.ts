import { describe, expect, test } from 'vitest'
import { labelInstruction, specLabel } from '../../contracts/apb/index.ts'
import { readDockerfile, withLabel } from './dockerfile.ts'

const skeleton = `# as the original tool writes it
FROM ansibleplaybookbundle/apb-base

LABEL "com.redhat.apb.spec"=\\
"dmVyc2lv\\
bjogMS4w"

ENV LANG=C HOME="/opt/apb dir"
COPY playbooks /opt/apb/actions
COPY ["roles", "/opt/ansible/roles"]
RUN chmod -R g=u /opt/{ansible,apb}
USER apb
ENTRYPOINT ["entrypoint.sh"]
`

describe('a Dockerfile of a bundle', () => {
  test('is read as Docker reads it', () => {
    expect(readDockerfile(skeleton)).toEqual({
      kind: 'dockerfile',
      dockerfile: {
        base: 'ansibleplaybookbundle/apb-base',
        labels: { 'com.redhat.apb.spec': 'dmVyc2lvbjogMS4w' },
        environment: ['LANG=C', 'HOME=/opt/apb dir'],
        copies: [
          { from: ['playbooks'], to: '/opt/apb/actions', line: 9 },
          { from: ['roles'], to: '/opt/ansible/roles', line: 10 },
        ],
        groupAsOwner: true,
        user: 'apb',
        entrypoint: ['entrypoint.sh'],
      },
    })
  })

  test('tells every line that needs an engine, at once', () => {
    const text =
      'FROM a\nRUN yum install -y \\\n  postgresql\nADD x /y\nCOPY ../secrets /s\nCOPY --chown=1 a /b\nFROM b'
    const reading = readDockerfile(text)

    expect(
      reading.kind === 'refused' && reading.problems.map(({ detail, where }) => [where?.line, detail]),
    ).toEqual([
      [2, 'RUN yum install -y   postgresql must be run in the image'],
      [4, 'ADD cannot be carried out'],
      [5, 'COPY takes from the folder of the bundle only'],
      [6, 'COPY takes sources and a place, without flags'],
      [7, 'only one plain FROM is understood'],
    ])
  })

  test.each([
    ['no label yet', 'FROM a\nUSER apb\n'],
    ['an old label', skeleton],
    [
      'an old label among others',
      `FROM a\nLABEL com.example.kind="x y" \\\n  ${specLabel}="old"\nUSER apb\n`,
    ],
  ])('gets its label: %s', (_, text) => {
    const spec = `version: 1.0\nname: ${'n'.repeat(200)}\n`
    const written = withLabel(text, specLabel, labelInstruction(spec))
    const reading = readDockerfile(written)
    const labels = reading.kind === 'dockerfile' ? reading.dockerfile.labels : {}

    expect(Buffer.from(labels[specLabel] ?? '', 'base64').toString()).toBe(spec)
    expect(written).toMatch(/USER apb/)
    expect(Math.max(...written.split('\n').map((line) => line.length))).toBeLessThan(80)
    expect(labels['com.example.kind']).toBe(text.includes('kind') ? 'x y' : undefined)
    expect(withLabel(written, specLabel, labelInstruction(spec))).toBe(written)
  })
})
