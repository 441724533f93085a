import { visible } from "../contract/text/visible.ts"
import type { RequestDetail } from "../requests/RequestView.ts"
import type { Part } from "../requests/transcript/Transcript.ts"
import { transcriptOf } from "../requests/transcript/transcriptOf.ts"

/** Tells that an account records no bodies, and how to change it. */
export const noBodies = (account: string): string =>
  `No bodies are recorded of this request. accounts.${account}.record.bodies: on in gateway.yaml records later ones.`

/** Recorded bodies as a readable conversation; as they are if they can't be read. */
export const transcriptShown = ({ answer, is_cut, request }: NonNullable<RequestDetail["bodies"]>): string => {
  const transcript = transcriptOf(request, answer)
  const cut = is_cut ? ["", "The bodies are longer than what is kept of them."] : []
  if (transcript === undefined) return [safe(request), "", safe(answer), ...cut].join("\n")
  const { error, tools, turns } = transcript
  return [
    ...(tools.length === 0 ? [] : [`tools: ${safe(tools.join(", "))}`, ""]),
    ...turns.flatMap(({ isAnswer, parts, role }) => [
      `── ${safe(role)}${isAnswer ? ", the answer" : ""} ──`,
      ...parts.map((part) => partShown(part)),
      ""
    ]),
    ...(error === undefined ? [] : [`error: ${safe(error)}`]),
    ...cut
  ]
    .join("\n")
    .trimEnd()
}

const partShown = (part: Part): string => {
  switch (part.kind) {
    case "text":
      return safe(part.text)
    case "reasoning":
      return beside("reasoning", part.text === "" ? "(hidden)" : part.text)
    case "refusal":
      return beside("refusal", part.text)
    case "call":
      return beside(`calls ${part.name}`, part.text)
    case "result":
      return beside(part.isError ? "failed with" : "returns", part.parts.map(partShown).join("\n"))
    case "other":
      return beside(part.name, part.text)
    default:
      return `[${part.kind}] ${safe(part.text)}`
  }
}

/** A text under its title, indented. */
const beside = (title: string, text: string): string =>
  [
    `[${safe(title)}]`,
    ...safe(text)
      .split("\n")
      .map((line) => `  ${line}`)
  ].join("\n")

/** Without characters that steer a terminal. */
const safe = (text: string): string => text.split(/\r?\n/).map(visible).join("\n")
