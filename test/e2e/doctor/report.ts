import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { runCommand } from "../../commandHere.ts"

/** What `gateway doctor --json` prints. */
export interface Report {
  readonly ok: boolean
  readonly findings: ReadonlyArray<{ check: string; level: string; message: string; remedy: string | null }>
}

/** Runs `gateway doctor` on a configuration in a folder. */
export const doctorIn =
  (folder: string) =>
  async (yaml: string, env: Record<string, string> = {}, args: ReadonlyArray<string> = ["--json"]) => {
    writeFileSync(join(folder, "gateway.yaml"), yaml)
    return runCommand(folder, ["doctor", ...args], { GATEWAY_PORT: "1", ...env })
  }

export const problemsOf = ({ findings }: Report, check: string) =>
  findings.filter((finding) => finding.check === check && finding.level === "problem")

/** A server that accepts connections and says nothing. */
export const startSilent = () => Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data: () => {} } })
