/** Every sum of money that a gateway shows, against its ledger. */
import { compared } from "./compared.ts"
import type { Ledger, Paid } from "./ledgerOf.ts"

interface Asked {
  readonly url: string
  readonly adminKey: string
  /** An account's secret. */
  readonly secretOf: (account: string) => string
  readonly ledger: Ledger
  /** A kill may lose a request's row, or the usage row of a client that left, which is written after it. */
  readonly wereKilled: boolean
}

// oxlint-disable-next-line typescript/no-explicit-any -- a test reads whatever was answered
type Json = any

interface Money {
  readonly cost: number
  readonly upstreamCost: number
}
const none: Money = { cost: 0, upstreamCost: 0 }
const sumOf = (rows: ReadonlyArray<Money>): Money =>
  rows.reduce(
    (sum, { cost, upstreamCost }) => ({ cost: sum.cost + cost, upstreamCost: sum.upstreamCost + upstreamCost }),
    none
  )
/** Fields of a table, and the ledger's. */
const tokens = [
  ["input_tokens", ({ input }: Paid) => input],
  ["output_tokens", ({ output }: Paid) => output],
  ["cache_read_tokens", ({ cacheRead }: Paid) => cacheRead],
  ["cache_write_tokens", ({ cacheWrite }: Paid) => cacheWrite]
] as const
const nano = (usd: number): number => Math.round(usd * 1e9)

/** @returns what differs, a line each */
export const everySum = async ({ adminKey, ledger, secretOf, url, wereKilled }: Asked): Promise<Array<string>> => {
  const wrong: Array<string> = []
  const seen = new Set<string>()
  const { paid } = ledger
  const get = async (path: string, secret: string): Promise<Json> => {
    const response = await fetch(url + path, { headers: { authorization: `Bearer ${secret}` } })
    if (response.status !== 200) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    seen.add(`GET ${new URL(url + path).pathname}`)
    return response.json()
  }
  const is = (where: string, told: unknown, expected: unknown) => {
    if (told !== expected) wrong.push(`${where}: ${String(told)} told, ${String(expected)} in the ledger`)
  }
  /** Fields `cost_usd` and `upstream_cost_usd`; the second is an operator's alone. */
  const inUsd = (where: string, told: Json, { cost, upstreamCost }: Money, isOperator: boolean) => {
    is(`${where} cost_usd`, nano(told?.cost_usd ?? 0), cost)
    const upstream = told?.upstream_cost_usd
    is(`${where} upstream_cost_usd`, isOperator ? nano(upstream ?? 0) : upstream, isOperator ? upstreamCost : undefined)
  }
  const inMoney = (where: string, told: Json, { cost, upstreamCost }: Money, isOperator: boolean) => {
    is(`${where} cost`, told?.cost.nano_usd ?? 0, cost)
    is(`${where} upstream_cost`, told?.upstream_cost?.nano_usd, isOperator ? upstreamCost : undefined)
  }
  const groups = (rows: ReadonlyArray<Paid>, by: (row: Paid) => string) =>
    [...Map.groupBy(rows, by)].map(([name, some]) => [name, sumOf(some)] as const)

  for (const [name, sum] of Object.entries(ledger.kept)) is(name, sum, sumOf(paid).cost)
  const { counted } = ledger
  is("tokens of usage_hours", counted["usage_hours"], counted["usage"])
  if (!wereKilled) {
    for (const name of ["attempts", "failed", "hidden"]) is(name, counted[name], counted[`${name} in rows`])
  }

  const oneView = async (base: string, secret: string, rows: ReadonlyArray<Paid>, isOperator: boolean) => {
    const sum = sumOf(rows)
    const columns = {
      model: ({ model }: Paid) => model,
      upstream: ({ upstream }: Paid) => upstream,
      key: ({ key_id }: Paid) => key_id,
      ...(isOperator ? { account: ({ account_id }: Paid) => account_id } : {})
    }
    for (const [from, step] of [
      ["5h", 60],
      ["24h", 3_600]
    ] as const) {
      for (const [by, nameOf] of Object.entries(columns)) {
        const where = `${base}/overview by ${by}, steps of ${step} s,`
        const told = await get(`${base}/overview?from=${from}&step=${step}&by=${by}`, secret)
        inUsd(`${where} total`, told.total, sum, isOperator)
        for (const point of told.total.points) {
          const at = Date.parse(point.time)
          const inside = rows.filter((row) => row.at >= at && row.at < at + step * 1_000)
          inUsd(`${where} at ${point.time}`, point, sumOf(inside), isOperator)
        }
        const known = new Map<string, Json>(told.groups.map((group: Json) => [group.name, group]))
        const all = groups(rows, nameOf).toSorted(([, one], [, other]) => other.cost - one.cost)
        for (const [name, money] of all.slice(0, 10)) {
          const group = known.get(name)
          // Of those that cost the same the ten with the most requests are shown.
          if (group === undefined && (money.cost === 0 || all.length > 10)) continue
          inUsd(`${where} of ${name}`, group, money, isOperator)
          is(
            `${where} points of ${name}`,
            (group?.points ?? []).reduce((points: number, point: Json) => points + nano(point.cost_usd), 0),
            money.cost
          )
        }
      }
    }
    if (isOperator)
      inUsd(`${base}/overview by tag`, (await get(`${base}/overview?from=5h&by=tag`, secret)).total, sum, true)

    await theGroups(base, secret, rows, columns, isOperator)

    for (const [filter, fitting] of [
      ["", rows],
      ...Object.entries(columns).flatMap(([by, nameOf]) =>
        groups(rows, nameOf)
          .slice(0, 4)
          .map(([name]) => [`&${by}=${encodeURIComponent(name)}`, rows.filter((row) => nameOf(row) === name)] as const)
      )
    ] as ReadonlyArray<readonly [string, ReadonlyArray<Paid>]>) {
      for (const span of ["from=24h&buckets=24", "from=1h&buckets=60"]) {
        const told = await get(`${base}/requests/histogram?${span}${filter}`, secret)
        inUsd(`${base}/requests/histogram?${span}${filter}`, told.total, sumOf(fitting), isOperator)
        const buckets = told.data.reduce((added: number, bucket: Json) => added + nano(bucket.cost_usd), 0)
        is(`${base}/requests/histogram?${span}${filter} buckets`, buckets, sumOf(fitting).cost)
      }
    }

    for (const [by, nameOf] of [
      ["day", (row: Paid) => new Date(row.at).toISOString().slice(0, 10)],
      ["model", columns.model],
      ["key", columns.key]
    ] as const) {
      const told = await get(`${base}/usage?since=7d&by=${by}&limit=1000`, secret)
      inMoney(`${base}/usage by ${by} totals`, told.totals, sum, isOperator)
      const known = new Map<string, Json>(told.data.map((group: Json) => [group.group, group]))
      for (const [name, money] of groups(rows, nameOf)) {
        inMoney(`${base}/usage by ${by} of ${name}`, known.get(name), money, isOperator)
      }
    }
    const entries = await pages(`${base}/usage?since=7d&by=request`, secret)
    is(`${base}/usage by request rows`, entries.length, rows.length)
    const ofEntries = sumOf(
      entries.map((entry) => ({ cost: entry.cost.nano_usd, upstreamCost: entry.upstream_cost?.nano_usd ?? 0 }))
    )
    is(`${base}/usage by request cost`, ofEntries.cost, sum.cost)
    is(`${base}/usage by request upstream_cost`, ofEntries.upstreamCost, isOperator ? sum.upstreamCost : 0)

    const byRequest = new Map(groups(rows, ({ request_id }) => request_id))
    const listed = await pages(`${base}/requests?`, secret)
    const requests = wereKilled ? listed.filter(({ request_id }) => byRequest.has(request_id)) : listed
    for (const request of requests) {
      const id = request.request_id
      inUsd(`${base}/requests ${id}`, request, byRequest.get(id) ?? none, isOperator)
      const settled = rows.find((row) => row.request_id === id)
      const isTold = request.cost_usd !== null
      if (isTold) is(`${base}/requests ${id} settled_at`, Date.parse(request.settled_at), settled?.at)
      byRequest.delete(id)
    }
    if (!wereKilled) is(`${base}/requests rows that are missing`, byRequest.size, 0)
    const conversations = Map.groupBy(
      requests.filter(({ conversation }) => conversation !== null),
      ({ account, conversation }) => `account=${account}&conversation=${encodeURIComponent(conversation)}`
    )
    for (const [query, some] of [...conversations].slice(0, 20)) {
      const ids = new Set(some.map(({ request_id }) => request_id))
      const told = await get(`${base}/requests?${isOperator ? query : query.slice(query.indexOf("&") + 1)}`, secret)
      const of = sumOf(rows.filter(({ request_id }) => ids.has(request_id)))
      inUsd(`${base}/requests?${query} totals`, told.totals, of, isOperator)
      is(`${base}/requests?${query} totals requests`, told.totals.requests, ids.size)
    }
    for (const { request_id } of requests.slice(0, 20)) {
      const of = sumOf(rows.filter((row) => row.request_id === request_id))
      inUsd(`${base}/requests/:id`, await get(`${base}/requests/${request_id}`, secret), of, isOperator)
      seen.add(`GET ${base}/requests/:id`)
    }

    // A task's broken answers and unused calls have rows of their own, without a charge.
    const ofTasks = new Map<string, number>()
    for (const { cost, task_id } of rows) {
      if (task_id !== null) ofTasks.set(task_id, (ofTasks.get(task_id) ?? 0) + cost)
    }
    for (const task of await pages(`${base}/tasks?`, secret)) {
      is(`${base}/tasks ${task.id}`, nano(task.cost_usd), ofTasks.get(task.id) ?? 0)
      if (!isOperator) continue
      is(`${base}/tasks/:id`, nano((await get(`${base}/tasks/${task.id}`, secret)).cost_usd), ofTasks.get(task.id) ?? 0)
      seen.add(`GET ${base}/tasks/:id`)
    }
  }

  /** Tables of groups, of spans with whole hours and without, and by what callers name. */
  const theGroups = async (
    base: string,
    secret: string,
    rows: ReadonlyArray<Paid>,
    columns: Readonly<Record<string, (row: Paid) => string>>,
    isOperator: boolean
  ) => {
    const inTokens = (where: string, told: Json, some: ReadonlyArray<Paid>) => {
      for (const [name, of] of tokens) {
        is(
          `${where} ${name}`,
          told?.[name] ?? 0,
          some.reduce((sum, row) => sum + of(row), 0)
        )
      }
    }
    const names = Object.keys(columns)
    const pairs = names.flatMap((one) => names.filter((other) => other !== one).map((other) => `${one},${other}`))
    for (const span of ["from=24h", "from=59m"]) {
      for (const by of [...names, ...pairs, "tag", "user"]) {
        const where = `${base}/overview/groups?${span}&by=${by}`
        const told = await get(`${base}/overview/groups?${span}&by=${by}&limit=10000`, secret)
        inUsd(`${where} total`, told.total, sumOf(rows), isOperator)
        inTokens(`${where} total`, told.total, rows)
        const nameOf = by.split(",").map((name) => columns[name])
        if (nameOf.includes(undefined)) continue
        const known = new Map<string, Json>(told.data.map((row: Json) => [`${row.group} ${row.second ?? ""}`, row]))
        for (const [name, some] of Map.groupBy(rows, (row) => `${nameOf[0]?.(row)} ${nameOf[1]?.(row) ?? ""}`)) {
          inUsd(`${where} of ${name}`, known.get(name), sumOf(some), isOperator)
          inTokens(`${where} of ${name}`, known.get(name), some)
        }
        if (by === "upstream" && isOperator && !wereKilled) {
          for (const name of ["attempts", "failed", "hidden"]) {
            const sum = told.data.reduce((added: number, row: Json) => added + row.attempts[name], 0)
            const known = ledger.counted[`${name} in rows`] ?? 0
            // Videos that wait are polled all the time.
            is(`${where} ${name}`, name === "attempts" ? Math.min(sum, known) : sum, known)
          }
        }
      }
    }
    if (!isOperator) return
    const told = await get(`${base}/overview/cost?from=24h&on=paid`, secret)
    const served = rows.filter(({ outcome }) => outcome === "finished" || outcome === "hang-up")
    const ofText = served.filter(({ model }) => !/video|embedding|rerank/.test(model))
    is(`${base}/overview/cost`, told.total.cost.nano_usd, sumOf(ofText).cost)
    // A dollar a token of output.
    const there = ofText.reduce((sum, { output }) => sum + output, 0) * 1e9
    is(`${base}/overview/cost there`, told.total.cost_there.nano_usd, there)
    is(`${base}/overview/cost not priced`, told.not_priced, served.length - ofText.length)
    const models: ReadonlyArray<Json> = (await get(`${base}/models?since=24h`, secret)).data
    for (const { id, use } of models) {
      inUsd(`${base}/models ${id}`, use, sumOf(rows.filter(({ model }) => model === id)), true)
    }
  }

  const pages = async (path: string, secret: string): Promise<ReadonlyArray<Json>> => {
    const all: Array<Json> = []
    let after = ""
    do {
      const page = await get(`${path}&limit=1000${after}`, secret)
      all.push(...page.data)
      after = page.next === null ? "" : `&after=${encodeURIComponent(page.next)}`
    } while (after !== "")
    return all
  }

  await oneView("/admin/v1", adminKey, paid, true)
  for (const [account, money] of groups(paid, ({ account_id }) => account_id)) {
    await oneView(
      "/v1",
      secretOf(account),
      paid.filter((row) => row.account_id === account),
      false
    )
    is(`/v1/balance of ${account}`, (await get("/v1/balance", secretOf(account))).settled.nano_usd, money.cost)
    is(`/v1/account of ${account}`, (await get("/v1/account", secretOf(account))).settled.nano_usd, money.cost)
    const { settled } = await get(`/admin/v1/accounts/${account}`, adminKey)
    is(`/admin/v1/accounts/:id of ${account}`, settled.nano_usd, money.cost)
    seen.add("GET /admin/v1/accounts/:id")
  }
  const byAccount = new Map(groups(paid, ({ account_id }) => account_id))
  for (const { id, settled } of await pages("/admin/v1/accounts?", adminKey)) {
    is(`/admin/v1/accounts of ${id}`, settled.nano_usd, byAccount.get(id)?.cost ?? 0)
  }
  const byKey = new Map(groups(paid, ({ key_id }) => key_id))
  for (const key of await pages("/admin/v1/keys?", adminKey)) {
    if (key.budget !== null)
      is(`/admin/v1/keys of ${key.name}`, key.budget.spent.nano_usd, byKey.get(key.id)?.cost ?? 0)
    const one = await get(`/admin/v1/keys/${key.id}`, adminKey)
    if (one.budget !== null)
      is(`/admin/v1/keys/:id of ${key.name}`, one.budget.spent.nano_usd, byKey.get(key.id)?.cost ?? 0)
    seen.add("GET /admin/v1/keys/:id")
  }
  for (const endpoint of compared) if (!seen.has(endpoint)) wrong.push(`${endpoint}: not asked`)
  return wrong
}
