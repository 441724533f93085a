import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { goModel } from "./goModel.ts"
import { hub } from "./hub.ts"
import { litellm } from "./litellm.ts"
import { ourName, ours } from "./ours.ts"
import { portkey } from "./portkey.ts"
import { bodies, wholeModel } from "./System.ts"
import type { System } from "./System.ts"

const here = import.meta.dirname

const headers = { "content-type": "application/json", authorization: "Bearer caller" }
const passes: Pick<System, "wholes" | "streams"> = {
  wholes: {
    "messages passed through": { path: "/v1/messages", headers, body: bodies.message(wholeModel) },
    "chat passed through": { path: "/v1/chat/completions", headers, body: bodies.chat(wholeModel) }
  },
  streams: {
    "messages passed through": (model) => ({ path: "/v1/messages", headers, body: bodies.messageStream(model) }),
    "chat passed through": (model) => ({ path: "/v1/chat/completions", headers, body: bodies.chatStream(model) })
  }
}
const everything = "keys, models, limits, prices, usage, log: everything"

/** The baseline of all comparisons. */
export const bareBun: System = {
  name: "bare Bun proxy",
  version: `Bun ${Bun.version}`,
  settings: "`Bun.serve` and `fetch`, bodies piped",
  lacks: everything,
  start: ({ port, upstream }) => ({ command: [process.execPath, resolve(here, "bare.ts"), String(port), upstream] }),
  ...passes
}

/** Built at run time, where `go` is on the PATH. */
const bareGo = (): System | undefined => {
  if (Bun.which("go") === null) return undefined
  const folder = mkdtempSync(join(tmpdir(), "gateway-bare-go-"))
  writeFileSync(join(folder, "go.mod"), "module bare\n")
  const program = join(folder, "bare")
  const built = Bun.spawnSync(["go", "build", "-buildvcs=false", "-o", program, resolve(here, "bare.go")], {
    cwd: folder,
    env: { ...process.env, GOTOOLCHAIN: "local" }
  })
  if (!built.success) throw new Error(`the Go proxy does not build: ${built.stderr.toString()}`)
  return {
    name: "bare Go proxy",
    version: Bun.spawnSync(["go", "env", "GOVERSION"]).stdout.toString().trim(),
    settings: "`httputil.ReverseProxy`, each write flushed",
    lacks: everything,
    start: ({ port, upstream }) => ({ command: [program, String(port), upstream] }),
    ...passes
  }
}

/** All that may be there: this build, the bare proxies, and what the environment names. */
const known: Readonly<Record<string, () => System | undefined>> = {
  "bare Bun proxy": () => bareBun,
  "bare Go proxy": bareGo,
  [ourName]: ours,
  "Traceloop Hub": hub,
  GoModel: goModel,
  "Portkey's gateway": portkey,
  LiteLLM: litellm
}

/** Those that are there and have this in their name. */
export const systems = (only: string): ReadonlyArray<System> =>
  Object.entries(known)
    .filter(([name]) => name.includes(only))
    .map(([, find]) => find())
    .filter((one) => one !== undefined)
