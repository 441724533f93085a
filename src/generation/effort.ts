import { InvalidRequest } from "../contract/failures/Failure.ts"
import type { Conversation } from "./Conversation.ts"
import { firstMatch } from "../contract/text/firstMatch.ts"
import { shorten } from "../contract/text/shorten.ts"

type Effort = NonNullable<Conversation["reasoning"]["effort"]>

interface Rule {
  readonly values: ReadonlyArray<Effort>
  readonly default: Effort
}

/**
 * Dated snapshots (`gpt-5.1-2025-11-13`) count as their model. The first match applies; other models accept any effort.
 */
const rules: ReadonlyArray<readonly [RegExp, Rule]> = [
  [/^gpt-5-pro$/, { values: ["high"], default: "high" }],
  [/^gpt-5\.1$/, { values: ["none", "low", "medium", "high"], default: "none" }],
  [/^gpt-5\.1-codex(-mini)?$/, { values: ["low", "medium", "high"], default: "medium" }],
  // xhigh starts with this model (docs/api.md#reasoning-effort).
  [
    /^gpt-(5\.1-codex-max|(5\.([2-9]|\d{2,})|[6-9](\.\d+)?)-codex(-[a-z]+)*)$/,
    { values: ["low", "medium", "high", "xhigh"], default: "medium" }
  ],
  [/^gpt-5\.1-chat-latest$/, { values: ["medium"], default: "medium" }],
  [
    /^gpt-(5\.([2-9]|\d{2,})|[6-9](\.\d+)?)(-mini|-nano)?$/,
    { values: ["none", "low", "medium", "high", "xhigh"], default: "none" }
  ],
  [/^gpt-5(-mini|-nano|-codex)?$/, { values: ["minimal", "low", "medium", "high"], default: "medium" }],
  [/^(o1|o3|o3-mini|o4-mini)$/, { values: ["low", "medium", "high"], default: "medium" }]
]

/**
 * A model's effort, requested or default; undefined if neither is known.
 *
 * @param param the family's name of the parameter
 */
export const effortOf = (
  model: string,
  asked: Effort | undefined,
  param: string
): Effort | InvalidRequest | undefined => {
  const family = model.replace(/-\d{4}-\d{2}-\d{2}$/, "")
  const rule = firstMatch(rules, family)
  if (rule === undefined || asked === undefined) return asked ?? rule?.default
  return rule.values.includes(asked) ? asked : unsupported(model, asked, rule.values, param)
}

const unsupported = (model: string, asked: Effort, values: ReadonlyArray<Effort>, param: string) =>
  new InvalidRequest({
    param,
    message: `Unsupported value: '${asked}' is not supported with the '${shorten(model)}' model. Supported values are: ${enumerated(values)}.`
  })

/** `'none', 'low', and 'high'`, as OpenAI writes it. */
const enumerated = (values: ReadonlyArray<string>) =>
  values
    .map((value) => `'${value}'`)
    .map((value, index, { length }) => (index === length - 1 && length > 1 ? `and ${value}` : value))
    .join(values.length > 2 ? ", " : " ")
