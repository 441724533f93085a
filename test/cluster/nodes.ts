import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { startGateway, testKey } from "../e2e/process.ts"
import type { GatewayProcess } from "../e2e/process.ts"
import type { VideoServiceName } from "../upstreams/fakes/videoServices.ts"
import { videosIn } from "../faults/videosIn.ts"
import type { auditOf } from "./audit.ts"
import type { Balancer } from "./balancer.ts"

/** A gateway of the cluster, through all its processes. */
export interface Node {
  readonly name: string
  readonly folder: string
  gateway: GatewayProcess
  /** What it calls itself in the database. */
  id: string
  leave: () => void
  isPaused: boolean
  /** What it is begun with; the usual one where absent. */
  program?: string
}

interface World {
  readonly folder: string
  readonly outside: string
  readonly database: string
  readonly redis: string
  /** What tells a gateway of its bucket. */
  readonly bucket: Readonly<Record<string, string>>
  readonly webhookSecret: string
  /** Those that every version at hand knows; all if absent. */
  readonly videoServices?: ReadonlyArray<VideoServiceName>
  /** What else the gateways are told. */
  readonly env?: Readonly<Record<string, string>>
  readonly balancer: Balancer
  readonly audit: ReturnType<typeof auditOf>
}

/** The key of an account without a balance: its usage is stored first, and added up later by any node. */
export const freeKey = "free-key-0123456789abcdefghijklmno"

const config = ({ outside, videoServices }: World) => {
  const videos = videosIn((name) => `${outside}${name}`, videoServices)
  return `upstreams:
${videos.upstreams}
  chat: { protocol: openai-chat, base_url: "${outside}v1", api_key: chat-key-of-the-cluster }
models:
${videos.models}
  text: { routes: [{ upstream: sandbox, model: sandbox-text }], price: { input: 1, output: 3 } }
  paid: { routes: [{ upstream: chat, model: m }], price: { input: 2, output: 5 } }
  embed: { routes: [{ upstream: chat, model: e }], price: { input: 11, output: 0 } }
keys:
  - { name: cluster, secret: "\${GATEWAY_CLUSTER_KEY}", account: default, balance_usd: 1000000 }
  - { name: free, secret: ${freeKey}, account: free }
callbacks: { allow: [127.0.0.0/8] }
custody: { keep: 30d }
`
}

/** Starts processes of nodes, and knows them by their rows. */
export const nodesOf = (world: World) => {
  const { audit, balancer } = world

  const begin = async (folder: string, program?: string): Promise<GatewayProcess> =>
    startGateway({
      folder,
      ...(program === undefined ? {} : { command: [process.execPath, program, "serve"] }),
      env: {
        ...world.bucket,
        GATEWAY_DATABASE_URL: world.database,
        GATEWAY_REDIS_URL: world.redis,
        GATEWAY_PUBLIC_URL: balancer.url,
        GATEWAY_SECRET: "secret-of-the-cluster-0123456789abcdef",
        GATEWAY_WEBHOOK_SECRET: world.webhookSecret,
        GATEWAY_BOOTSTRAP_KEY: "bootstrap-key-0123456789abcdef",
        GATEWAY_CLUSTER_KEY: testKey,
        ...world.env
      }
    })

  /** A process that can't begin because the database is away is begun again. */
  const begun = async (
    folder: string,
    program?: string
  ): Promise<{ readonly gateway: GatewayProcess; readonly id: string }> => {
    for (;;) {
      const before = new Set(await audit.nodes())
      try {
        const gateway = await begin(folder, program)
        for (;;) {
          const id = (await audit.nodes()).find((one) => !before.has(one))
          if (id !== undefined) return { gateway, id }
          await Bun.sleep(50)
        }
      } catch (error) {
        if (!/can't be reached|is starting|no connection left|57P|08/.test(String(error))) throw error
        await Bun.sleep(300)
      }
    }
  }

  return {
    start: async (name: string, program?: string): Promise<Node> => {
      const folder = join(world.folder, name)
      mkdirSync(folder)
      writeFileSync(join(folder, "gateway.yaml"), config(world))
      const { gateway, id } = await begun(folder, program)
      const leave = balancer.add(gateway.url)
      return { name, folder, gateway, id, leave, isPaused: false, ...(program !== undefined && { program }) }
    },
    /** Ends the node's process and begins another. */
    restart: async (node: Node, signal: "SIGKILL" | "SIGTERM") => {
      node.gateway.signal(signal)
      const code = await node.gateway.exited
      node.leave()
      const dead = node.id
      const said = node.gateway.output()
      const { gateway, id } = await begun(node.folder, node.program)
      Object.assign(node, { gateway, id, leave: balancer.add(gateway.url) })
      return { dead, code, said }
    },
    /** A process that was away for so long that it has been reaped is another node when it wakes up. */
    pause: async (node: Node, ms: number) => {
      node.isPaused = true
      node.gateway.signal("SIGSTOP")
      await Bun.sleep(ms)
      const before = new Set(await audit.nodes())
      node.gateway.signal("SIGCONT")
      if (!before.has(node.id)) {
        for (let looks = 0; looks < 200; looks++) {
          const id = (await audit.nodes()).find((one) => !before.has(one))
          if (id !== undefined) {
            node.id = id
            break
          }
          await Bun.sleep(50)
        }
      }
      node.isPaused = false
    }
  }
}
