import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { startGateway } from "../../e2e/process.ts"
import type { Any, Ask } from "../../places/strict/rule.ts"
import { startStrict } from "../../places/strict/strict.ts"
import { routeAt, upstreamAt } from "../../places/upstreamAt.ts"
import { filesIn, marksIn } from "./marks.ts"
import type { Player } from "./script.ts"

/** A gateway with one model, behind a place that refuses what the real one refuses. */
export interface PlaceWorld {
  /** An address before the gateway, which notes what is asked. */
  readonly url: string
  readonly key: string
  readonly refused: () => ReadonlyArray<string>
  /** The statuses that the gateway answered with. */
  readonly statuses: ReadonlyArray<string>
  /** The cache marks that were sent in the loop's turns, and those of them that came to the place. */
  readonly marks: { sent: number; arrived: number; readonly lost: Set<string> }
  /** The kinds of files that came to the place. */
  readonly files: ReadonlySet<string>
  readonly dispose: () => Promise<void>
}

/** The ids of models that programs ask for by default, or that we tell them of. */
const modelIds = [
  "claude-opus-5-5",
  "claude-sonnet-5-5",
  "claude-haiku-5-5",
  "gpt-6.2-sol",
  "gpt-5.5",
  "house-model"
] as const

export const startPlace = async (
  place: string,
  model: string,
  player: Player,
  settings: Readonly<Record<string, unknown>> = {}
): Promise<PlaceWorld> => {
  const marks = { sent: 0, arrived: 0, lost: new Set<string>() }
  const files = new Set<string>()
  /** The loop's last request as the program sent it. */
  let asking: ReadonlyArray<string> = []
  const strict = startStrict({
    play: (ask) => {
      if (player.isTurn(ask)) {
        const arrived = marksIn(ask.body)
        for (const file of filesIn(ask.body)) files.add(file)
        if (!hasMarks(ask)) return player.play(ask)
        marks.sent += asking.length
        for (const mark of asking) {
          if (arrived.includes(mark)) marks.arrived++
          else marks.lost.add(mark)
        }
      }
      return player.play(ask)
    },
    ...(process.env["PLACES_LOG"] !== undefined && { log: console.log })
  })
  const folder = mkdtempSync(join(tmpdir(), "gateway-agents-places-"))
  const models = Object.fromEntries(modelIds.map((id) => [id, { ...routeAt(place, model), ...settings }]))
  const upstreams = { [place]: upstreamAt(strict.url, place) }
  writeFileSync(join(folder, "gateway.yaml"), JSON.stringify({ upstreams, models }))
  const gateway = await startGateway({ folder })
  const statuses: Array<string> = []
  const front = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    maxRequestBodySize: 64 * 1024 * 1024,
    fetch: async (request) => {
      const { pathname, search } = new URL(request.url)
      const body = request.method === "POST" ? await request.bytes() : undefined
      const asked: Any = body === undefined ? undefined : parsed(body)
      if (asked?.tools?.length > 0 || asked?.input?.[0]?.type === "additional_tools") asking = marksIn(asked)
      const headers = new Headers(request.headers)
      headers.delete("host")
      headers.delete("accept-encoding")
      const answer = await fetch(`${gateway.url}${pathname}${search}`, {
        method: request.method,
        decompress: false,
        headers,
        ...(body !== undefined && { body })
      })
      statuses.push(`${answer.status} ${pathname}`)
      return answer
    }
  })
  return {
    url: front.url.origin,
    key: gateway.key,
    refused: () =>
      strict.seen.flatMap(({ rules, says }) => (rules.length === 0 ? [] : [`${rules.join(" ")}: ${says}`])),
    statuses,
    marks,
    files,
    dispose: async () => {
      await front.stop(true)
      await gateway.dispose()
      await strict.stop()
    }
  }
}

/** Whether the place caches by marks. */
const hasMarks = ({ model, place }: Ask): boolean =>
  place === "anthropic" || place.includes("claude") || (place.startsWith("bedrock") && /claude|nova/.test(model))

const parsed = (bytes: Uint8Array): Any => {
  try {
    return JSON.parse(new TextDecoder().decode(bytes))
  } catch {
    return undefined
  }
}
