import { outcomeOf } from "../../src/requests/outcome.ts"
import type { RequestDetail, RequestView } from "../../src/requests/RequestView.ts"
import type { App } from "../app.ts"
import { Refused } from "../client.ts"
import { badge, button, copyable, fact, facts, faint, mono, section, smallTable, took } from "../components/bits.ts"
import { codeBlock } from "../components/codeBlock.ts"
import type { Drawer } from "../components/drawer.ts"
import { waterfall, waterfallLegend } from "../components/waterfall.ts"
import { h } from "../dom.ts"
import type { Child } from "../dom.ts"
import { number, span, usd, utc } from "../format.ts"
import { adaptedOf, inputOf, outcomeStatus } from "../outcome.ts"
import { callsOf } from "../requestCalls.ts"
import { costOf } from "../requestCost.ts"
import type { Cost } from "../requestCost.ts"
import { hrefOf } from "../router.ts"
import { words } from "../words/words.ts"

const text = words.request

const logOf = (request: RequestView): ReadonlyArray<Child> => {
  const at = (ms: number) => new Date(Date.parse(request.time) + ms).toISOString().slice(11, 23)
  const line = (ms: number, level: string, event: string, rest: string): Child => [
    faint(at(ms)),
    " ",
    h("span", { class: level[0] === "e" ? "e" : level[0] === "w" ? "w" : "" }, level.padEnd(5)),
    ` ${event.padEnd(17)} ${rest}\n`
  ]
  const calls = callsOf(request)
  return [
    ...request.attempts.map((attempt, index) =>
      line(
        calls[index]?.began ?? 0,
        attempt.error === null ? "info" : "warn",
        "upstream.attempt",
        [
          `upstream=${attempt.upstream}`,
          attempt.upstream_key === undefined ? "" : `upstream_key=${attempt.upstream_key}`,
          attempt.status === null ? "" : `status=${attempt.status}`,
          attempt.error === null ? "" : `error=${attempt.error}`,
          `duration_ms=${attempt.duration_ms}`,
          attempt.upstream_request_id === null ? "" : `upstream_request_id=${attempt.upstream_request_id}`
        ]
          .filter((part) => part !== "")
          .join(" ")
      )
    ),
    line(
      request.duration_ms,
      outcomeOf(request) === "hang_up" || request.error === null ? "info" : request.status >= 500 ? "error" : "warn",
      "request",
      `status=${request.status}${request.error === null ? "" : ` error=${request.error}`} duration_ms=${request.duration_ms}${request.cost_usd === null ? "" : ` cost_usd=${request.cost_usd}`}`
    )
  ]
}

const costTable = (request: RequestView, cost: Cost | undefined): Child => {
  if (cost === undefined)
    return request.cost_usd === null || request.cost_usd === 0
      ? h("p", { class: "hint" }, request.task === null ? text.free : text.ofTask)
      : h("p", { class: "hint" }, text.priceUnknown)
  const [tokens, count, price, dollars] = text.heads
  const table = smallTable(
    [[tokens], [count, "right", 90], [price, "right", 120], [dollars, "right", 120]],
    cost.lines.map((line) => [
      [
        line.kind,
        line.kind === text.kinds.output &&
          request.reasoning_tokens > 0 &&
          faint(text.reasoning(number(request.reasoning_tokens)))
      ],
      number(line.count, Number.isInteger(line.count) ? 0 : 2),
      number(line.price, 3),
      number(line.usd, 9)
    ])
  )
  table.tBodies[0]?.append(
    h(
      "tr",
      { class: "sum" },
      h("td", {}, text.settled),
      h("td"),
      h("td"),
      h("td", { class: "right" }, number(cost.usd, 9))
    )
  )
  return [table, cost.isEstimated && h("p", { class: "hint" }, text.estimated)]
}

const moment = (time: string): Child =>
  h("time", { datetime: time, title: words.times.ago(span(Date.now() - Date.parse(time))) }, utc(Date.parse(time)))

const whyOf = (request: RequestView): Child => {
  const outcome = outcomeOf(request)
  if (outcome === "finished") return null
  const [what, then] = text.why[outcome === "refused" ? String(request.status) : outcome] ??
    text.why["refused"] ?? ["", ""]
  const tone = outcome === "refused" ? "warn" : outcome === "hang_up" ? "" : "bad"
  return h("section", {}, h("p", { class: `note ${tone}` }, h("b", {}, what), " ", then))
}

/** The recorded bodies, folded. */
const bodyBlocks = (app: App, bodies: NonNullable<RequestDetail["bodies"]>): Child => [
  (
    [
      ["asked", bodies.request],
      ["answered", bodies.answer]
    ] as const
  ).map(([name, body]) =>
    h("details", {}, h("summary", {}, text[name]), codeBlock(app, [["", indented(body)]], text[name]))
  ),
  bodies.is_cut && h("p", { class: "hint" }, text.bodiesCut)
]

/** A note is a kind, or a kind and its detail: `finish:eos`. */
const noteMeans = (note: string): string => text.noteMeans[note.split(":")[0] ?? ""] ?? ""

/** Indents JSON; other text stays unchanged. */
const indented = (body: string): string => {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
}

/** One request: actions, errors, figures, attempts, adaptations, cost and log. */
export const requestDrawer = (app: App, drawer: Drawer, keyName: (id: string) => string) => {
  const draw = (request: RequestView, cost: Cost | "loading" | undefined, bodies: RequestDetail["bodies"] = null) => {
    const adapted = adaptedOf(request)
    const calls = callsOf(request)
    const isOperator = app.session.kind === "operator"
    drawer.show(
      request.request_id,
      [outcomeStatus(request), h("span", {}, request.model ?? request.family)],
      h(
        "section",
        {},
        h(
          "div",
          { class: "actions" },
          h("a", { class: "button", href: hrefOf("playground", undefined, { from: request.request_id }) }, text.repeat),
          button(words.copy.link, () => app.copy(location.origin + hrefOf("requests", request.request_id)))
        )
      ),
      whyOf(request),
      h(
        "section",
        {},
        facts(
          true,
          fact(text.duration, took(request.duration_ms)),
          fact(text.first, took(request.first_byte_ms)),
          fact(
            text.tokens,
            h("span", { class: "num" }, number(inputOf(request)), faint(" / "), number(request.output_tokens))
          ),
          fact(text.cost, usd(request.cost_usd ?? 0, 6))
        )
      ),
      h(
        "section",
        {},
        facts(
          false,
          fact(text.request, copyable(app, request.request_id), true),
          fact(text.received, moment(request.time), true),
          fact(
            text.key,
            [
              request.account,
              " / ",
              isOperator ? h("a", { href: hrefOf("keys", request.key) }, keyName(request.key)) : keyName(request.key)
            ],
            true
          ),
          fact(text.endpoint, [mono(request.endpoint), request.stream && text.streamed], true),
          request.served_model !== null &&
            fact(
              text.servedBy,
              [mono(request.served_model), request.fallback !== null && faint(text.fallbackWhy[request.fallback])],
              true
            ),
          fact(
            text.answeredBy,
            request.upstream === null
              ? faint(text.noUpstream)
              : [
                  request.upstream,
                  " ",
                  h("code", { class: "quiet" }, request.upstream_model ?? ""),
                  request.upstream_key === undefined ? "" : h("code", { class: "quiet" }, ` ${request.upstream_key}`)
                ],
            true
          ),
          request.task !== null &&
            fact(text.task, h("a", { href: hrefOf("tasks", request.task) }, mono(request.task)), true),
          request.task !== null &&
            request.settled_at !== null &&
            fact(text.settledAt, moment(request.settled_at), true),
          request.upstream_cost_usd !== undefined && fact(text.upstreamCost, usd(request.upstream_cost_usd, 9), true),
          fact(
            text.client,
            [
              request.client ?? faint(text.unknownClient),
              request.end_user !== null && [faint(text.endUser), mono(request.end_user)],
              request.tags.map((tag) => [" ", badge(tag)])
            ],
            true
          )
        )
      ),
      calls.length > 0 &&
        h(
          "section",
          {},
          h("div", { class: "caption" }, h("h2", {}, text.attempts), waterfallLegend()),
          waterfall(calls, request.duration_ms)
        ),
      adapted.length > 0 &&
        section(
          text.adapted,
          smallTable(
            [["", "", 200], [""]],
            adapted.map((name) => [mono(name), h("span", { class: "quiet" }, text.adaptedWhy)]),
            { isPlain: true, label: text.adapted }
          )
        ),
      request.notes.length > 0 &&
        section(
          text.notes,
          smallTable(
            [["", "", 200], [""]],
            request.notes.map((note) => [mono(note), h("span", { class: "quiet" }, noteMeans(note))]),
            { isPlain: true, label: text.notes }
          )
        ),
      cost !== "loading" && section(text.costTitle, costTable(request, cost)),
      bodies !== null && section(text.bodies, bodyBlocks(app, bodies)),
      section(text.log, h("div", { class: "log", tabindex: 0, role: "region", "aria-label": text.log }, logOf(request)))
    )
  }
  const load = (id: string) =>
    app.client.json<RequestDetail>(
      `${app.session.kind === "operator" ? "/admin/v1" : "/v1"}/requests/${encodeURIComponent(id)}`
    )
  let wanted = ""

  return {
    async show(id: string, known: RequestView | undefined) {
      if (wanted === id && drawer.shown() === id) return
      wanted = id
      if (known !== undefined) draw(known, "loading")
      try {
        const request = await load(id)
        if (wanted !== id) return
        draw(request, "loading", request.bodies)
        const cost = await costOf(app, request).catch(() => undefined)
        if (wanted === id) draw(request, cost, request.bodies)
      } catch (error) {
        if (wanted !== id) return
        const message =
          error instanceof Refused && error.status === 404 ? text.gone : error instanceof Error ? error.message : ""
        drawer.show(id, h("span", {}, id), h("section", {}, h("p", { class: "note" }, message)))
      }
    },
    /** Later results are ignored. */
    close() {
      wanted = ""
      drawer.hide()
    }
  }
}
