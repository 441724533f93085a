import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { bundle } from "./e2e/program.ts"

/** Bundles the program once for the whole run, unless another was chosen. */
export default async () => {
  if (process.env["TEST_GATEWAY"] !== undefined) return () => {}
  const folder = mkdtempSync(join(tmpdir(), "gateway-program-"))
  process.env["TEST_GATEWAY"] = await bundle(folder)
  return () => rmSync(folder, { recursive: true, force: true })
}
