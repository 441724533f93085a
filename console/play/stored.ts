import { Option, Schema } from "effect"
import type { Session } from "../session.ts"
import { Family, FunctionTool } from "./draft.ts"
import { Exchange } from "./exchange.ts"

/** The playground as it was left, for this tab. */
const Stored = Schema.parseJson(
  Schema.Struct({
    /** The session that left it: others do not see it. */
    who: Schema.String,
    family: Family,
    fields: Schema.Record({ key: Schema.String, value: Schema.String }),
    tools: Schema.Array(Schema.Struct({ tool: FunctionTool, isOn: Schema.Boolean })),
    hasSearch: Schema.Boolean,
    lanes: Schema.Array(Schema.Array(Exchange))
  })
)
export type Stored = typeof Stored.Type

const name = "playground"

const whoOf = ({ account_id, key_id, kind }: Session) => [kind, account_id ?? "", key_id ?? ""].join(" ")

export const restore = (session: Session): Stored | undefined => {
  const found = Schema.decodeUnknownOption(Stored)(sessionStorage.getItem(name))
  return Option.getOrUndefined(Option.filter(found, ({ who }) => who === whoOf(session)))
}

/** Keeps it; without the conversation if it is too large for the browser's storage. */
const keep = (session: Session, state: Omit<Stored, "who">): void => {
  for (const lanes of [state.lanes, []]) {
    try {
      sessionStorage.setItem(name, Schema.encodeSync(Stored)({ ...state, who: whoOf(session), lanes }))
      return
    } catch {
      sessionStorage.removeItem(name)
    }
  }
}

/** How long after a change it is kept, in ms. */
const keepAfterMs = 300

/** Keeps the newest state, a moment after it changes. */
export const makeKeeper = (session: Session) => {
  let newest: Omit<Stored, "who"> | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  const now = () => {
    clearTimeout(timer)
    timer = undefined
    if (newest !== undefined) keep(session, newest)
    newest = undefined
  }
  return {
    now,
    soon: (state: Omit<Stored, "who">) => {
      newest = state
      timer ??= setTimeout(now, keepAfterMs)
    }
  }
}
