import { Command } from "@effect/cli"
import { Effect } from "effect"
import type { Attention } from "../admin/OverviewRecord.ts"
import { administer } from "./administer.ts"
import { remoteLeaf } from "./frame/leaf.ts"
import { wrap } from "./frame/wrap.ts"
import { help, json, print, shortTime } from "./options.ts"
import { Operator } from "./operator/Operator.ts"
import { oneLine, terminalWidth } from "./table.ts"

const attention = Command.make("attention", { json }, ({ json }) =>
  administer(
    Effect.gen(function* () {
      const { attention } = yield* Operator
      const problems = yield* attention
      yield* print(json, problems, () =>
        problems.length === 0 ? "Nothing needs attention." : problems.map(shown).join("\n\n")
      )
    })
  )
).pipe(
  Command.withDescription(
    help(
      "Show what a running gateway's operator should see to, the worst first. Uses its admin API, also on this machine (GATEWAY_ADMIN_KEY).",
      "gateway attention",
      "gateway attention --url https://gateway.example.com --json"
    )
  )
)

export const attentionCommand = remoteLeaf(attention)

const indent = "         "

/** The problem, since when, and what to do, in lines of a terminal's width. */
const shown = ({ action, level, message, since }: Attention): string => {
  const width = (terminalWidth() ?? 80) - indent.length
  const age = since === null ? [] : [`Since ${shortTime(since)} UTC.`]
  const [first = "", ...more] = [oneLine(message), ...age, oneLine(action)].flatMap((text) => wrap(text, width))
  return [`${level.padEnd(indent.length)}${first}`, ...more.map((line) => `${indent}${line}`)].join("\n")
}
