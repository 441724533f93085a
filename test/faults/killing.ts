import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { startGateway } from "../e2e/process.ts"
import type { GatewayProcess } from "../e2e/process.ts"
import { bundle } from "../e2e/program.ts"
import { videoServiceNames } from "../upstreams/fakes/videoServices.ts"
import { audit } from "./audit.ts"
import type { Audit } from "./audit.ts"
import { askGateway, clients, newTold, pathOf } from "./clients.ts"
import { judged } from "./judged.ts"
import type { Ending } from "./judged.ts"
import type { OutsideLog } from "./outside.ts"
import { spawn } from "./processes.ts"
import { videosIn } from "./videosIn.ts"
import type { Spawned } from "./processes.ts"

const secret = `whsec_${Buffer.from("0123456789abcdef0123456789abcdef").toString("base64")}`

const config = (outside: string) => {
  const videos = videosIn((name) => `${outside}${name}`)
  return `upstreams:
${videos.upstreams}
models:
${videos.models}
  text: { routes: [{ upstream: sandbox, model: sandbox-text }], price: { input: 1, output: 3 } }
keys:
  - { name: faults, secret: "\${GATEWAY_FAULTS_KEY}", account: default, balance_usd: 1000000 }
callbacks: { allow: [127.0.0.0/8] }
`
}

export interface Found {
  readonly seconds: number
  readonly counts: Readonly<Record<string, number>>
  readonly mustBeZero: Readonly<Record<string, number>>
  readonly endings: ReadonlyArray<Ending>
  /** How long after a process listened everything that the dead one held was taken up, in ms. */
  readonly recoveries: ReadonlyArray<number>
  readonly starts: ReadonlyArray<number>
  /** The first of whatever was wrong, in words. */
  readonly words: ReadonlyArray<string>
}

/** Kills the real gateway so often, at random moments under load, lets the last one end everything, and counts. */
export const killGateway = async (kills: number): Promise<Found> => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-kills-"))
  const outside = await spawn("outside.ts", { WEBHOOK_SECRET: secret })
  const open = new Set<{ readonly signal: (signal: NodeJS.Signals) => void }>([outside])
  try {
    return await killed(kills, folder, outside, open)
  } finally {
    for (const one of open) one.signal("SIGKILL")
    rmSync(folder, { recursive: true, force: true })
  }
}

const killed = async (
  kills: number,
  folder: string,
  outside: Spawned,
  open: Set<Pick<Spawned, "signal">>
): Promise<Found> => {
  process.env["TEST_GATEWAY"] ??= await bundle(join(folder, "program"))
  writeFileSync(join(folder, "gateway.yaml"), config(outside.url))
  const told = newTold()
  const load = clients(told, `${outside.url}hook`, videoServiceNames)
  const recoveries: Array<number> = []
  const starts: Array<number> = []
  const words: Array<string> = []
  const begunAt = performance.now()
  let looks: Audit | undefined

  const start = async () => {
    const dead = looks?.owners() ?? []
    const begun = performance.now()
    const gateway = await startGateway({
      folder,
      env: {
        GATEWAY_WEBHOOK_SECRET: secret,
        GATEWAY_BOOTSTRAP_KEY: "bootstrap-key-0123456789abcdef",
        GATEWAY_FAULTS_KEY: "test-key-0123456789abcdefghijklmnop"
      }
    })
    open.add(gateway)
    void gateway.exited.then(() => open.delete(gateway))
    starts.push(performance.now() - begun)
    looks ??= audit(folder)
    return { gateway, dead, listensAt: performance.now() }
  }

  const recovered = async (dead: ReadonlyArray<string>, since: number, isAlive: () => boolean) => {
    if (dead.length === 0) return
    while (isAlive()) {
      if (looks?.heldBy(dead) === 0) return void recoveries.push(performance.now() - since)
      await Bun.sleep(10)
    }
  }

  const balanced = async (url: string) => {
    const reply = await askGateway(url, "GET", "/v1/balance")
    const { available, granted, held, settled } = (await reply.json()) as Record<string, { nano_usd: number }>
    const left = granted!.nano_usd - settled!.nano_usd - held!.nano_usd
    if (available!.nano_usd !== left) words.push(`a balance of ${available!.nano_usd} where ${left} is left`)
    return { settled: settled!.nano_usd, held: held!.nano_usd }
  }

  for (let kill = 0; kill < kills; kill++) {
    const { dead, gateway, listensAt } = await start()
    let alive = true
    void gateway.exited.then(() => (alive = false))
    words.push(...(looks?.contradictions(told.gone.size) ?? []).map((what) => `after kill ${kill}: ${what}`))
    const running = Promise.all([
      load.run(gateway.url, () => alive),
      recovered(dead, listensAt, () => alive),
      balanced(gateway.url).catch(() => {})
    ])
    await Promise.race([Bun.sleep(100 + Math.random() * 900), gateway.exited])
    if (!alive) words.push(`the gateway ended by itself:\n${gateway.output().slice(-2_000)}`)
    gateway.signal("SIGKILL")
    await gateway.exited
    alive = false
    await running
    words.push(...complaints(gateway))
  }

  // One last process, left alone until everything has ended and was delivered.
  const { dead, gateway, listensAt } = await start()
  await recovered(dead, listensAt, () => true)
  await load.finish(gateway.url)
  const deadline = performance.now() + 120_000
  const look = looks!
  while ((look.active() > 0 || look.undelivered() > 0) && performance.now() < deadline) await Bun.sleep(200)
  const active = look.active()
  words.push(...look.contradictions(told.gone.size).map((what) => `in the end: ${what}`))
  const money = await balanced(gateway.url)
  if (money.held !== 0 && active === 0) words.push(`${money.held} nano-dollars are held for nothing`)
  const missing: Array<string> = []
  for (const id of told.accepted.keys()) {
    if ((await askGateway(gateway.url, "GET", pathOf(id))).status !== 200) missing.push(id)
  }
  const rows = look.rows()
  const log = (await (await fetch(`${outside.url}log`)).json()) as OutsideLog
  gateway.signal("SIGTERM")
  const exitCode = await gateway.exited
  words.push(...complaints(gateway))
  look.close()

  const { endings, mustBeZero, words: wrongs } = judged({ told, rows, log, missing })
  return {
    seconds: Math.round((performance.now() - begunAt) / 1_000),
    endings,
    recoveries,
    starts,
    words: [...wrongs, ...words, ...told.refused.map((refusal) => `an answer of ${refusal}`)],
    counts: {
      "tasks accepted": told.accepted.size,
      "tasks stored": rows.length,
      "cancels acknowledged": told.cancelled.size,
      "videos submitted": log.submits.length,
      polls: log.polls,
      "callbacks received": log.callbacks.length,
      "nano-dollars settled": money.settled
    },
    mustBeZero: {
      stuck: active,
      ...mustBeZero,
      "contradictions and surprises": words.length + told.refused.length,
      "exit code of SIGTERM": exitCode
    }
  }
}

/** What a gateway has no reason to say. */
const complaints = ({ output }: GatewayProcess) =>
  output()
    .split("\n")
    .filter(
      (line) =>
        (/"level":"error"/.test(line) && !/"error":"upstream_failed"/.test(line)) || /holds without a task/.test(line)
    )
