/** The program as it is installed reaches the network: libraries that are loaded late are there in the bundle, too. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { chandler } from '../brokerpak/command.ts'
import { newFolder } from '../support/broker.ts'
import { installedProgram } from '../support/installed.ts'

test('a pak is built from a program that is downloaded, twice the same', async () => {
  const program = installedProgram()
  const home = newFolder()
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(request.url ?? '')
    response.end('#!/bin/sh\n')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const cli = (...args: readonly string[]) => chandler({ program, home, url: '' }, args)
  try {
    const folder = join(home, 'pak')
    await cli('pak', 'init', folder)
    const manifest = join(folder, 'manifest.yml')
    const from = `  url_template: http://127.0.0.1:${port}/\${version}/\${name}\n`
    writeFileSync(manifest, readFileSync(manifest, 'utf8').replace(/^ {2}source: .*\n/m, from))
    const built = [
      await cli('pak', 'build', folder, '--to', home, '-o', 'json'),
      await cli('pak', 'build', folder, '--to', home, '-o', 'json'),
    ]

    expect(built.map(({ code, stderr }) => [code, code === 0 ? '' : stderr])).toEqual([
      [0, ''],
      [0, ''],
    ])
    expect(asked.length).toBeGreaterThan(0)
    const [first, second] = built.map(({ stdout }) => JSON.parse(stdout) as { readonly digest: string })
    expect(first?.digest).toBe(second?.digest)
  } finally {
    server.close()
    for (const path of [dirname(dirname(program)), home]) rmSync(path, { recursive: true, force: true })
  }
})
