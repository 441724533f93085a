import { chmodSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { expect, it } from "vitest"

const { scripts } = JSON.parse(readFileSync(resolve(import.meta.dirname, "../../package.json"), "utf8")) as {
  scripts: Readonly<Record<string, string>>
}

it("the first start says that it installs packages; later ones say nothing", () => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-start-"))
  // Stands for Bun: prints how it was called.
  writeFileSync(join(folder, "bun"), '#!/bin/sh\necho "bun $*"\n')
  chmodSync(join(folder, "bun"), 0o755)
  const start = () => {
    const env = { PATH: `${folder}:${process.env["PATH"] ?? ""}` }
    const { stderr, stdout } = Bun.spawnSync(["sh", "-c", scripts["start"] ?? ""], { cwd: folder, env })
    return { said: stderr.toString(), ran: stdout.toString() }
  }
  const ran = "bun install --frozen-lockfile --production --silent\nbun src/main.ts serve\n"
  expect(start()).toEqual({ said: "Installs the packages first, this once: 15 seconds or so.\n", ran })
  mkdirSync(join(folder, "node_modules"))
  expect(start()).toEqual({ said: "", ran })
})
