import type { SqlClient } from "@effect/sql"
import { outcomes } from "../outcome.ts"
import type { Outcome } from "../outcome.ts"
import { patterns } from "./patterns.ts"
import type { Patterns } from "./patterns.ts"
import { ofKeys } from "../../sql/ofKeys.ts"

/** A filter of requests; absent fields match any. In texts `*` stands for any characters. */
export interface RequestFilter {
  /** Restricts to one account, by exact id. */
  readonly owner?: string | undefined
  /** Restricts to these keys, by id. */
  readonly keys?: ReadonlyArray<string> | undefined
  readonly id?: string | undefined
  readonly account?: string | undefined
  /** A key's id or its name. */
  readonly key?: string | undefined
  /** Price quotes (`account`) match only with an explicit family or endpoint. */
  readonly family?: string | undefined
  readonly endpoint?: string | undefined
  readonly model?: string | undefined
  /** The upstream of the last attempt. */
  readonly upstream?: string | undefined
  /** The upstream of any attempt. */
  readonly attempt?: string | undefined
  /** Exact (`429`), or a class by its first digit (`4`). */
  readonly status?: number | undefined
  readonly error?: string | undefined
  readonly outcome?: Outcome | undefined
  readonly tag?: string | undefined
  readonly client?: string | undefined
  readonly user?: string | undefined
  readonly service_tier?: string | undefined
  readonly price_gap?: string | undefined
  /** Exact. Only together with an account, as clients choose the names of their conversations. */
  readonly conversation?: string | undefined
  /** The task that the request created. */
  readonly task?: string | undefined
  /** Words that must each occur in a row's visible columns. */
  readonly search?: string | undefined
  readonly sinceMs?: number | undefined
  readonly untilMs?: number | undefined
}

/** `outcomeOf` as SQL conditions. */
export const outcomeSql: Readonly<Record<Outcome, string>> = {
  finished: "status < 400 AND error = ''",
  refused: "status >= 400 AND status < 500 AND status <> 499 AND error <> 'hang_up'",
  failed: "status >= 500 AND error <> 'hang_up'",
  cut: "status < 400 AND error <> '' AND error <> 'hang_up'",
  hang_up: "(error = 'hang_up' OR status = 499)"
}

/** The only account that can match; undefined if several can. */
export const ownerOf = ({ account, owner }: RequestFilter): string | undefined =>
  owner ?? (account?.includes("*") === true ? undefined : account)

/** The rows of an account, or of one of its conversations: either has an index. */
export interface Whose {
  readonly account: string
  readonly conversation?: string | undefined
}

export const ofAccount = (account: string | undefined): Whose | undefined =>
  account === undefined ? undefined : { account }

/** The only rows that can match; undefined if they may be of several accounts. */
export const whoseOf = (filter: RequestFilter): Whose | undefined => {
  const account = ownerOf(filter)
  return account === undefined ? undefined : { account, conversation: filter.conversation }
}

/** The condition of `Whose`, in the words of the indexes. */
export const ofWhom = (sql: SqlClient.SqlClient, { account, conversation }: Whose) =>
  sql.and([sql`account_id = ${account}`, ...(conversation === undefined ? [] : [ofConversation(sql, conversation)])])

const ofConversation = (sql: SqlClient.SqlClient, conversation: string) =>
  sql.and([sql`conversation = ${conversation}`, sql`conversation <> ''`])

/** Conditions on columns that `requests` and `request_hours` share. */
export const matchingWhose = (sql: SqlClient.SqlClient, filter: RequestFilter) => {
  const like = patterns(sql)
  return [
    ...(filter.owner === undefined ? [] : [sql`account_id = ${filter.owner}`]),
    ...ofKeys(sql, filter.keys),
    ...(filter.account === undefined ? [] : [like.column("account_id", filter.account)]),
    ...(filter.key === undefined ? [] : [like.key(filter.key)]),
    ...(filter.upstream === undefined ? [] : [like.column("upstream", filter.upstream)])
  ]
}

/** Conditions on rows of `requests`. */
export const matchConditions = (sql: SqlClient.SqlClient, filter: RequestFilter) => [
  ...matchingWhose(sql, filter),
  ...matchingRows(sql, filter)
]

/** Those of them that are on columns of `requests` alone, and on models, which callers make up. */
export const matchingRows = (sql: SqlClient.SqlClient, filter: RequestFilter) => {
  const like = patterns(sql)
  return [
    ...(filter.id === undefined ? [] : [like.column("request_id", filter.id)]),
    ...(filter.family === undefined ? [] : [like.column("family", filter.family)]),
    ...(filter.endpoint === undefined ? [] : [like.column("endpoint", filter.endpoint)]),
    ...(filter.family === undefined && filter.endpoint === undefined ? [sql`family <> 'account'`] : []),
    ...(filter.model === undefined ? [] : [like.column("model", filter.model)]),
    ...(filter.attempt === undefined ? [] : [like.attempt(filter.attempt)]),
    ...(filter.error === undefined ? [] : [like.column("error", filter.error)]),
    ...(filter.outcome === undefined ? [] : [sql.literal(outcomeSql[filter.outcome])]),
    ...(filter.tag === undefined ? [] : [like.tag(filter.tag)]),
    ...(filter.client === undefined
      ? []
      : [sql.or(clientsOf(filter.client).map((client) => like.detail("client", client)))]),
    ...(filter.user === undefined ? [] : [like.detail("end_user", filter.user)]),
    ...(filter.service_tier === undefined ? [] : [like.detail("service_tier", filter.service_tier)]),
    ...(filter.price_gap === undefined ? [] : [like.detail("price_gap", filter.price_gap)]),
    ...(filter.conversation === undefined ? [] : [ofConversation(sql, filter.conversation)]),
    ...(filter.task === undefined ? [] : [like.detail("task", filter.task)]),
    ...wordsOf(filter.search).map((word) => sql.or(having(sql, like, word))),
    ...(filter.status === undefined
      ? []
      : filter.status < 10
        ? [sql`status >= ${filter.status * 100}`, sql`status < ${filter.status * 100 + 100}`]
        : [sql`status = ${filter.status}`]),
    ...(filter.sinceMs === undefined ? [] : [sql`at >= ${filter.sinceMs}`]),
    ...(filter.untilMs === undefined ? [] : [sql`at <= ${filter.untilMs}`])
  ]
}

/** A client's name alone is all of its versions: `claude-cli` is `claude-cli/*` too. */
const clientsOf = (client: string): ReadonlyArray<string> => (/[*/]/.test(client) ? [client] : [client, `${client}/*`])

const wordsOf = (search = ""): ReadonlyArray<string> => search.split(/\s+/).filter((word) => word !== "")

/** Searches the columns that lists show, like `fits` of the console. */
const having = (sql: SqlClient.SqlClient, like: Patterns, word: string) => {
  const anywhere = `*${word}*`
  return [
    ...(["request_id", "model", "endpoint", "account_id", "upstream", "error"] as const).map((name) =>
      like.column(name, anywhere)
    ),
    like.key(anywhere),
    like.detail("client", anywhere),
    ...(/^[1-5]\d\d$/.test(word) ? [sql`status = ${Number(word)}`] : []),
    ...outcomes.filter((outcome) => outcome === word).map((outcome) => sql.literal(`(${outcomeSql[outcome]})`))
  ]
}
