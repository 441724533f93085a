import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { DialectName, FakeName } from "../../../upstreams/fakes/fakeUpstream.ts"
import { startGateway } from "../../../gatewayHere.ts"
import { callersOf } from "../callers.ts"
import type { Family } from "../callers.ts"
import { clientsOf, protocols } from "../world.ts"
import type { Cell } from "./Case.ts"

/** A third-party server that speaks all three dialects. */
export interface Server {
  /** The base URL of its dialects, with `/v1` if they have it. */
  readonly baseUrl: string
  readonly apiKey: string
  /** The scenarios that it can play, each under a model of that name. */
  readonly plays: (protocol: DialectName, stream: boolean) => ReadonlyArray<string>
}

export type CellOf<A extends FakeName> = (family: Family, protocol: A, stream: boolean) => Cell

/** A gateway in front of a server. */
export const inFrontOf = async (
  server: Server
): Promise<{ readonly cellOf: CellOf<DialectName>; readonly dispose: () => Promise<void> }> => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-compatibility-"))
  const models = protocols.flatMap((protocol) =>
    server
      .plays(protocol, true)
      .map((scenario) => [`${protocol}-${scenario}`, { routes: [{ upstream: `up-${protocol}`, model: scenario }] }])
  )
  const upstream = (protocol: DialectName) => ({ protocol, base_url: server.baseUrl, api_key: server.apiKey })
  const upstreams = protocols.map((protocol) => [`up-${protocol}`, upstream(protocol)])
  writeFileSync(
    join(folder, "gateway.yaml"),
    JSON.stringify({ upstreams: Object.fromEntries(upstreams), models: Object.fromEntries(models) })
  )
  const gateway = await startGateway({ folder })
  const clients = clientsOf(gateway)
  return {
    cellOf: (family, protocol, stream) => ({
      family,
      protocol,
      stream,
      caller: callersOf(clients)[family],
      model: (scenario) => `${protocol}-${scenario}`,
      heard: clients.heard,
      sent: undefined,
      plays: server.plays(protocol, stream)
    }),
    dispose: gateway.dispose
  }
}

/** Waits until a server answers. */
export const listening = async (url: string, child: Bun.Subprocess): Promise<void> => {
  for (let tries = 0; tries < 600; tries++) {
    if (child.exitCode !== null) break
    if (await fetch(url).then(isOk, no)) return
    await Bun.sleep(200)
  }
  throw new Error(`no server listens at ${url}`)
}

const isOk = ({ ok }: Response) => ok
const no = () => false

/** Runs a command to its end; throws where it fails. */
export const command = async (args: ReadonlyArray<string>, cwd: string): Promise<void> => {
  const child = Bun.spawn([...args], { cwd, stdout: "ignore", stderr: "inherit" })
  if ((await child.exited) !== 0) throw new Error(`${args.join(" ")} failed`)
}
