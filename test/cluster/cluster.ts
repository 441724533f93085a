import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { bundle } from "../e2e/program.ts"
import { startBucket } from "../files/bucketServer.ts"
import { askGateway, clients, newTold, pathOf } from "../faults/clients.ts"
import { judged } from "../faults/judged.ts"
import type { OutsideLog } from "../faults/outside.ts"
import { spawn } from "../faults/processes.ts"
import { startRedis } from "../limits/redisServer.ts"
import { startPostgres } from "../sql/postgresServer.ts"
import { isFetched, madeOf } from "../upstreams/fakes/madeOf.ts"
import { videoServiceNames } from "../upstreams/fakes/videoServices.ts"
import { auditOf } from "./audit.ts"
import { startBalancer } from "./balancer.ts"
import { chaos } from "./chaos.ts"
import type { Disturbances, Kind } from "./chaos.ts"
import { nodesOf } from "./nodes.ts"
import { newTextsTold, textClients } from "./texts.ts"

export interface ClusterOptions {
  readonly tasks: number
  readonly texts: number
  /** How long a node is stopped for, in ms: longer than its lease, so that it wakes up reaped. */
  readonly pauseMs: number
  /** What is done to the cluster, in this order, again and again. */
  readonly kinds: ReadonlyArray<Kind>
  readonly log: (line: string) => void
}

export interface ClusterFound {
  readonly seconds: number
  readonly disturbances: Disturbances["counts"]
  readonly endings: ReturnType<typeof judged>["endings"]
  readonly counts: Readonly<Record<string, number>>
  readonly mustBeZero: Readonly<Record<string, number>>
  /** From a kill until nothing is in the dead node's hands any more, in ms. */
  readonly recoveries: ReadonlyArray<number>
  /** The first of whatever was wrong, in words. */
  readonly words: ReadonlyArray<string>
}

const webhookSecret = `whsec_${Buffer.from("0123456789abcdef0123456789abcdef").toString("base64")}`

/** Files that are read back at the end, each from any node. */
const mostRead = 200

interface VideoTask {
  readonly content?: { readonly video_url?: string }
}

/** How many clients there are of each kind. */
const taskClientsAtOnce = 24
const textClientsAtOnce = 16

/**
 * Three nodes on one Postgres and one Redis behind a balancer, disturbed in every way while clients go on; then what the
 * clients were told, what upstream and receiver saw, and what the ledger says are compared.
 *
 * @param programs the folder of Postgres' programs
 */
export const cluster = async (programs: string, options: ClusterOptions): Promise<ClusterFound> => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-cluster-"))
  process.env["TEST_GATEWAY"] ??= await bundle(join(folder, "program"))
  const outside = await spawn("outside.ts", { WEBHOOK_SECRET: webhookSecret, MEDIA: "here" })
  const postgres = await startPostgres(programs)
  const redis = await startRedis()
  const bucket = await startBucket()
  const balancer = startBalancer()
  const audit = auditOf(postgres.url)
  const begunAt = performance.now()
  const words: Array<string> = []
  const open = new Set<{ readonly signal: (signal: NodeJS.Signals) => void }>([outside])
  try {
    const world = {
      folder,
      outside: outside.url,
      database: postgres.url,
      redis: redis.url,
      bucket: bucket.env,
      webhookSecret
    }
    const nodes = nodesOf({ ...world, balancer, audit })
    const running = [await nodes.start("one"), await nodes.start("two"), await nodes.start("three")]
    for (const node of running) open.add({ signal: (signal) => node.gateway.signal(signal) })

    const told = newTold()
    const texts = newTextsTold()
    const load = clients(told, `${outside.url}hook`, videoServiceNames)
    const textLoad = textClients(balancer.url, texts)
    const isEnough = () => told.accepted.size >= options.tasks && texts.asked >= options.texts
    let isThrough = false
    const isDone = () => isThrough && isEnough()
    let isOver = false
    const telling = setInterval(
      () => options.log(`${told.accepted.size} tasks accepted, ${texts.asked} texts asked for`),
      10_000
    )
    const scene = {
      nodes,
      running,
      postgres,
      redis,
      audit,
      isDone: isEnough,
      pauseMs: options.pauseMs,
      kinds: options.kinds,
      log: options.log
    }
    const disturbed = chaos(scene).finally(() => (isThrough = true))
    await Promise.all([
      load.run(balancer.url, () => !isDone(), taskClientsAtOnce),
      ...Array.from({ length: textClientsAtOnce }, () => textLoad(isDone, () => isOver))
    ])
    const disturbances = await disturbed
    words.push(...disturbances.words)

    // Left alone until everything has ended, was delivered and is paid for.
    await load.finish(balancer.url)
    const deadline = performance.now() + 180_000
    const isQuiet = async () =>
      (await audit.active()) === 0 &&
      (await audit.undelivered()) === 0 &&
      (await audit.held()) === 0 &&
      (await audit.unsummed()) === 0 &&
      (await audit.orphans()) === 0 &&
      (await audit.uncopied()) === 0
    while (!(await isQuiet()) && performance.now() < deadline) await Bun.sleep(300)
    isOver = true
    clearInterval(telling)
    words.push(...(await audit.contradictions()).map((what) => `in the end: ${what}`))
    const active = await audit.active()
    const held = await audit.held()
    if (held > 0) words.push(...(await audit.holders()))
    const missing: Array<string> = []
    for (const id of told.accepted.keys()) {
      const { status } = await untilAnswered(() => askGateway(balancer.url, "GET", pathOf(id)))
      if (status === 200) continue
      missing.push(id)
      words.push(`${id} was accepted and is answered with ${status}`)
    }
    const copies = await audit.copies()
    const usage = await audit.usage()
    const rows = await audit.rows()
    const made = rows.filter(({ kind, state }) => kind === "video" && state === "succeeded")
    const wrong = await Promise.all(
      made.slice(0, mostRead).map(({ id, upstream_id }) =>
        untilAnswered(async () => {
          const task = (await (await askGateway(balancer.url, "GET", pathOf(id))).json()) as VideoTask
          const link = new URL(task.content?.video_url ?? "http://nowhere.test/")
          const reply = await fetch(`${balancer.url}${link.pathname}`)
          return Buffer.compare(await reply.bytes(), madeOf(upstream_id ?? "")) === 0 ? [] : [id]
        })
      )
    )
    const log = (await (await fetch(`${outside.url}log`)).json()) as OutsideLog
    for (const node of running) node.gateway.signal("SIGTERM")
    const codes = await Promise.all(running.map(({ gateway }) => gateway.exited))
    words.push(
      ...running.flatMap(({ gateway, name }) => complaints(gateway.output()).map((line) => `${name}: ${line}`))
    )

    const paid = new Map<string, number>()
    for (const { request_id } of usage) paid.set(request_id, (paid.get(request_id) ?? 0) + 1)
    const unexplained = [...texts.refused.keys(), ...told.refused].filter(isNoOutage)
    const { endings, mustBeZero, words: wrongs } = judged({ told, rows, log, missing })
    return {
      seconds: Math.round((performance.now() - begunAt) / 1_000),
      disturbances: disturbances.counts,
      endings,
      recoveries: disturbances.recoveries,
      words: [...wrongs, ...unexplained, ...words],
      counts: {
        "tasks accepted": told.accepted.size,
        "tasks stored": rows.length,
        "videos submitted": log.submits.length,
        "callbacks received": log.callbacks.length,
        "videos copied": copies.length,
        "texts asked for": texts.asked,
        "texts answered": texts.answered.size + texts.byKey.size,
        "texts at the upstream": log.texts.length,
        "usage rows": usage.length,
        "connections broken": texts.broken,
        "answers of an outage": [...texts.refused.values()].reduce((sum, n) => sum + n, 0) + told.refused.length
      },
      mustBeZero: {
        stuck: active,
        "held for nothing, in nano-dollars": held,
        ...mustBeZero,
        "made and not copied": made.filter(({ upstream_id }) => !isFetched(upstream_id ?? "")).length - copies.length,
        "files that are another's, or none": wrong.flat().length,
        "answered and unpaid": [...texts.answered].filter((id) => !paid.has(id)).length,
        "paid twice": [...paid.values()].filter((times) => times > 1).length,
        "twins that differ": [...texts.byKey.values()].filter((answers) => answers.size > 1).length,
        "contradictions and surprises": words.length,
        "refusals that no outage explains": unexplained.length,
        "exit codes of SIGTERM": codes.filter((code) => code !== 0).length
      }
    }
  } finally {
    for (const one of open) one.signal("SIGKILL")
    balancer.stop()
    await audit.close()
    await redis.dispose()
    await bucket.stop()
    await postgres.dispose()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Asks again where the balancer cuts the connection, as it does with a node that is slow to say that it is ready. */
const untilAnswered = async <A>(ask: () => Promise<A>, tries = 100): Promise<A> => {
  try {
    return await ask()
  } catch (error) {
    if (tries === 1) throw error
    await Bun.sleep(200)
    return untilAnswered(ask, tries - 1)
  }
}

/** What a caller may be told while the database is away, or a node leaves: that it should ask again. */
const isNoOutage = (refusal: string): boolean => !/^(500|503|409)/.test(refusal)

/** What a gateway has no reason to say, whatever is done to it and around it. */
const complaints = (output: string): ReadonlyArray<string> =>
  output.split("\n").filter((line) => /a worker crashed/.test(line))
