import type { RedisServer } from "../limits/redisServer.ts"
import type { PostgresServer } from "../sql/postgresServer.ts"
import type { auditOf } from "./audit.ts"
import type { Node, nodesOf } from "./nodes.ts"

interface Scene {
  readonly nodes: ReturnType<typeof nodesOf>
  readonly running: ReadonlyArray<Node>
  readonly postgres: PostgresServer
  readonly redis: RedisServer
  readonly audit: ReturnType<typeof auditOf>
  /** Whether the clients have asked for as much as they should. */
  readonly isDone: () => boolean
  readonly pauseMs: number
  /** What is done, in this order, again and again. */
  readonly kinds: ReadonlyArray<Kind>
  readonly log: (line: string) => void
}

export const kinds = ["kill", "stop", "kill", "redis", "pause", "postgres"] as const
export type Kind = (typeof kinds)[number]

export interface Disturbances {
  readonly counts: Readonly<Record<string, number>>
  readonly recoveries: ReadonlyArray<number>
  readonly words: ReadonlyArray<string>
}

/** How often Postgres is killed while it is its turn, how long it is away, and between two times, in ms. */
const ofPostgres = { times: 3, awayMs: 1_500, everyMs: 10_000 }
const redisAwayMs = 8_000

/** Disturbs the cluster, one thing after another, until the clients have had enough; a paused node sleeps beside. */
export const chaos = async (scene: Scene): Promise<Disturbances> => {
  const { audit, isDone, kinds, log, nodes, pauseMs, postgres, redis, running } = scene
  const counts: Record<string, number> = {}
  const recoveries: Array<number> = []
  const words: Array<string> = []
  const awake = () => running.filter(({ isPaused }) => !isPaused)
  const pick = () => awake()[Math.floor(Math.random() * awake().length)]
  const looking: Array<Promise<void>> = []
  let paused: Promise<void> | undefined

  const recovered = async (dead: string) => {
    const since = performance.now()
    while ((await audit.nodes()).includes(dead) || (await audit.heldBy(dead)) > 0) {
      if (performance.now() - since > 60_000) return void words.push(`what ${dead} held was never taken over`)
      await Bun.sleep(50)
    }
    recoveries.push(performance.now() - since)
  }

  const disturbances: Readonly<Record<Kind, () => Promise<void>>> = {
    kill: async () => {
      const node = pick()
      if (node === undefined) return
      const dead = node.id
      const again = nodes.restart(node, "SIGKILL")
      looking.push(recovered(dead))
      await again
    },
    stop: async () => {
      const node = pick()
      if (node === undefined) return
      const { code, said } = await nodes.restart(node, "SIGTERM")
      if (code !== 0) words.push(`a node that was asked to end ended with ${code}:\n${said.slice(-1_000)}`)
    },
    redis: async () => {
      await redis.kill()
      await Bun.sleep(redisAwayMs)
      await redis.start()
    },
    pause: async () => {
      const node = pick()
      if (node === undefined || paused !== undefined) return
      paused = nodes.pause(node, pauseMs).finally(() => (paused = undefined))
    },
    postgres: async () => {
      for (let time = 0; time < ofPostgres.times; time++) {
        await postgres.stop("kill")
        await Bun.sleep(ofPostgres.awayMs)
        await postgres.start()
        await Bun.sleep(ofPostgres.everyMs - ofPostgres.awayMs)
      }
    }
  }

  for (let turn = 0; !isDone() || turn < kinds.length; turn++) {
    const kind = kinds[turn % kinds.length] ?? "kill"
    log(`turn ${turn}: ${kind}`)
    counts[kind] = (counts[kind] ?? 0) + 1
    await disturbances[kind]()
    await Bun.sleep(500 + Math.random() * 2_000)
  }
  await paused
  await Promise.all(looking)
  return { counts, recoveries, words }
}
