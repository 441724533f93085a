import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { compile } from "./e2e/program.ts"

/** Compiles the program once for the whole run, unless another was chosen. */
export default async () => {
  if (process.env["TEST_GATEWAY"] !== undefined) return () => {}
  const folder = mkdtempSync(join(tmpdir(), "gateway-program-"))
  process.env["TEST_GATEWAY"] = await compile(folder)
  return () => rmSync(folder, { recursive: true, force: true })
}
