import { Clock, Effect } from "effect"
import type { Era } from "./Eras.ts"
import type { McpFailure } from "./McpFailure.ts"
import type { McpList, McpTool, ServerWatch } from "./McpServer.ts"
import { toolChange } from "./toolChange.ts"
import type { ToolChange } from "./toolChange.ts"

/** How long a changed tool is reported, in ms. */
const toldMs = 7 * 86_400_000
/** The most tools of a server that are compared with the next list, and the most changes that are kept. */
const mostTools = 512
const mostChanges = 50

/** A server as this process has seen it since it started or since the server's entry changed. */
export interface ServerState {
  /** True if it gave its last list. */
  readonly isAnswering: boolean
  /** Since when it has or has not. */
  readonly sinceMs: number
  readonly list?: SeenList | undefined
  /** The last list or call that failed. */
  readonly lastFailure?: SeenFailure | undefined
}

interface SeenList extends McpList {
  readonly era: Era | undefined
  readonly atMs: number
}

interface SeenFailure {
  readonly atMs: number
  /** In the gateway's words. */
  readonly message: string
}

/** A tool whose text has changed since it was listed before. */
export interface SeenChange extends ToolChange {
  readonly server: string
  readonly atMs: number
}

/** The watching of a server. */
export interface Watching {
  /** Its entry in the configuration: what was seen under another one is forgotten. */
  readonly entry: unknown
  readonly offers: (tool: McpTool) => boolean
  /** False if each caller may see other tools: they are not kept. */
  readonly hasOneList: boolean
}

/** The states of the registered servers, and the changes of their tools, in this process. */
export class ServerStates extends Effect.Service<ServerStates>()("gateway/mcp/ServerStates", {
  sync: () => {
    const states = new Map<string, ServerState & { readonly entry: unknown }>()
    const known = new Map<string, Map<string, McpTool>>()
    const changes = new Map<string, ReadonlyArray<SeenChange>>()

    const forget = (server: string): void => {
      states.delete(server)
      known.delete(server)
      changes.delete(server)
    }

    const see = (
      server: string,
      { entry }: Watching,
      isAnswering: boolean,
      nowMs: number,
      seen: Partial<ServerState>
    ) => {
      const before = states.get(server)
      const sinceMs = before?.isAnswering === isAnswering ? before.sinceMs : nowMs
      states.set(server, { ...before, ...seen, entry, isAnswering, sinceMs })
    }

    /** @returns the tools that say something else than before */
    const compare = (server: string, tools: ReadonlyArray<McpTool>, atMs: number): ReadonlyArray<SeenChange> => {
      const before = known.get(server) ?? new Map<string, McpTool>()
      const found = tools.flatMap((tool): ReadonlyArray<SeenChange> => {
        const change = toolChange(before.get(tool.name), tool)
        return change === undefined ? [] : [{ ...change, server, atMs }]
      })
      for (const tool of tools) {
        if (before.has(tool.name) || before.size < mostTools) before.set(tool.name, tool)
      }
      known.set(server, before)
      const names = new Set(found.map(({ tool }) => tool))
      const others = (changes.get(server) ?? []).filter(({ tool }) => !names.has(tool))
      changes.set(server, [...found, ...others].slice(0, mostChanges))
      return found
    }

    const watch = (server: string, watching: Watching): ServerWatch => ({
      listed: (list, era) =>
        Effect.flatMap(Clock.currentTimeMillis, (atMs) => {
          const tools = watching.hasOneList ? list.tools.filter(watching.offers) : []
          see(server, watching, true, atMs, { list: { ...list, tools, era, atMs } })
          return Effect.forEach(compare(server, tools, atMs), logChange, { discard: true })
        }),
      failed: (failure, isList) =>
        Effect.map(Clock.currentTimeMillis, (atMs) => {
          // The fault of one caller's token, headers or account.
          if (!watching.hasOneList && failure.status >= 400 && failure.status < 500) return
          const isAnswering = !isList && (states.get(server)?.isAnswering ?? true)
          see(server, watching, isAnswering, atMs, { lastFailure: { atMs, message: messageOf(failure) } })
        })
    })

    return {
      watch,
      of: (server: string): ServerState | undefined => states.get(server),
      /** Those of the last week, the latest first. */
      changes: (nowMs: number): ReadonlyArray<SeenChange> =>
        [...changes.values()].flat().filter(({ atMs }) => nowMs - atMs < toldMs),
      /** Forgets servers whose entry is another one now, or none. */
      keep: (entries: Readonly<Record<string, unknown>>): void => {
        for (const [server, { entry }] of states) if (!Bun.deepEquals(entries[server], entry)) forget(server)
      }
    } as const
  }
}) {}

const messageOf = ({ reason, status }: McpFailure): string => (status >= 400 ? `${reason} (${status})` : reason)

const logChange = ({ parts, server, tool }: SeenChange) =>
  Effect.logWarning("a tool of a server says something else than before").pipe(
    Effect.annotateLogs({ event: "mcp.tools_changed", server, tool, changed: parts.join(", ") })
  )
