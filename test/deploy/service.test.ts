import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { expect, it } from "@effect/vitest"

const analyze = "/usr/bin/systemd-analyze"
if (!existsSync(analyze)) console.log("skipped: test/deploy/service.test.ts, there is no systemd-analyze here")

it.skipIf(!existsSync(analyze))("the unit is one that systemd takes", () => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-unit-"))
  try {
    const program = join(folder, "gateway")
    writeFileSync(program, "#!/bin/sh\n")
    chmodSync(program, 0o755)
    const shipped = readFileSync(resolve(import.meta.dirname, "../../deploy/gateway.service"), "utf8")
    const unit = join(folder, "gateway.service")
    const verified = (text: string) => {
      writeFileSync(unit, text.replace("/usr/local/bin/gateway", program))
      const { exitCode, stderr } = Bun.spawnSync([analyze, "verify", "--man=no", unit])
      return {
        exitCode,
        complaints: stderr
          .toString()
          .split("\n")
          .filter((line) => line.includes("gateway.service"))
      }
    }
    expect(verified(shipped)).toEqual({ exitCode: 0, complaints: [] })
    // It would say so otherwise.
    expect(verified(shipped.replace("Restart=always", "Restart=perhaps")).complaints).not.toEqual([])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
