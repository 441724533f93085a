import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { runtimeVariables } from "../../../src/commands/reexec.ts"
import { startGateway } from "../../e2e/process.ts"
import type { GatewayProcess } from "../../e2e/process.ts"
import { pairings } from "./answers.ts"
import type { ProtocolName } from "./answerKinds.ts"
import { overflowing } from "./upstream.ts"

/** What the probe has seen since it was last asked. */
export interface Seen {
  readonly pauseMs: number
  readonly mostBytes: number
}

/** A gateway with a probe in its process. */
export interface Probed {
  readonly gateway: GatewayProcess
  /** Fails after a minute: a process that is frozen answers nothing. */
  readonly seen: () => Promise<Seen>
  /** When it heard that it is to stop, in ms since the epoch; undefined while it has not. */
  readonly stoppedAt: () => number | undefined
  readonly dispose: () => Promise<void>
}

export const adminKey = "admin-key-0123456789abcdefghijklmnop"

const upstreamOf = (model: string) => model.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-")

/**
 * @param main the program that is run: its first source, or its bundle
 * @param upstream where the models that are not the sandbox's are answered
 */
export const startProbed = async (main: string, upstream: string): Promise<Probed> => {
  const sockets = mkdtempSync(join(tmpdir(), "gateway-probe-"))
  const folder = mkdtempSync(join(tmpdir(), "gateway-bodies-"))
  const socket = join(sockets, "probe")
  const to = (protocol: ProtocolName) => ({
    protocol,
    base_url: `${upstream}/v1`,
    api_key: "unused",
    ...(protocol === "openai-chat" && { provider: "vllm" })
  })
  writeFileSync(
    join(folder, "gateway.yaml"),
    JSON.stringify({
      prices: { from: `${upstream}/prices.json` },
      upstreams: {
        chat: { protocol: "openai-chat", base_url: `${upstream}/v1`, provider: "vllm" },
        messages: { protocol: "anthropic-messages", base_url: `${upstream}/v1` },
        responses: { protocol: "openai-responses", base_url: `${upstream}/v1`, api_key: "unused" },
        // Upstreams of their own: one that fails over and over is not asked for a while.
        "long-chat": { protocol: "openai-chat", base_url: `${upstream}/v1`, provider: "vllm" },
        "long-messages": { protocol: "anthropic-messages", base_url: `${upstream}/v1` },
        ...Object.fromEntries(pairings.map(({ model, protocol }) => [upstreamOf(model), to(protocol)]))
      },
      models: {
        "behind-chat": "chat",
        "behind-messages": "messages",
        "behind-responses": "responses",
        ...Object.fromEntries(
          pairings.map(({ model }) => [model, { routes: [{ upstream: upstreamOf(model), model }] }])
        ),
        "behind-embeddings": { routes: [{ upstream: "chat", model: "behind-embeddings" }] },
        ...Object.fromEntries(
          overflowing.flatMap((model) => [
            [model, { routes: [{ upstream: "long-chat", model }] }],
            [`${model}, passed through`, { routes: [{ upstream: "long-messages", model }] }]
          ])
        )
      }
    })
  )
  const gateway = await startGateway({
    folder,
    toFile: true,
    command: [process.execPath, "--preload", join(import.meta.dirname, "probe.ts"), main, "serve"],
    env: {
      BODIES_PROBE: socket,
      // The process would begin again, and its probe with it.
      ...runtimeVariables,
      GATEWAY_ADMIN_KEY: adminKey,
      GATEWAY_CHECK_ANSWERS: "false"
    }
  })
  return {
    gateway,
    seen: async () => {
      const answer = await fetch("http://probe/", { unix: socket, signal: AbortSignal.timeout(60_000) })
      return (await answer.json()) as Seen
    },
    stoppedAt: () => {
      try {
        return Number(readFileSync(`${socket}.stopped`, "utf8"))
      } catch {
        return undefined
      }
    },
    dispose: async () => {
      await gateway.dispose()
      rmSync(sockets, { recursive: true, force: true })
    }
  }
}
