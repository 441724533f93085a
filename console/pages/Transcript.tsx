import type { RequestDetail } from "../../src/requests/RequestView.ts"
import type { Part, TranscriptMessage } from "../../src/requests/transcript/Transcript.ts"
import { transcriptOf } from "../../src/requests/transcript/transcriptOf.ts"
import { indent } from "../../src/requests/transcript/parts.ts"
import { CodeBlock } from "../parts/CodeBlock.tsx"
import { Badge, Faint } from "../parts/text.tsx"
import { words } from "../words/words.ts"

const text = words.request

type Bodies = NonNullable<RequestDetail["bodies"]>

/** A text in its own lines: nothing in it is markup. */
const Prose = ({ of }: { readonly of: string }) => <p class="prose">{of}</p>

const Folded = ({ children, title }: { readonly title: string; readonly children: string }) => (
  <details>
    <summary>{title}</summary>
    <Prose of={children} />
  </details>
)

const PartOf = ({ part }: { readonly part: Part }) => {
  switch (part.kind) {
    case "text":
      return <Prose of={part.text} />
    case "reasoning":
      return part.text === "" ? (
        <p class="hint">{text.hiddenReasoning}</p>
      ) : (
        <Folded title={text.reasoningTitle}>{part.text}</Folded>
      )
    case "refusal":
      return (
        <div class="said-part">
          <Badge>{text.refusal}</Badge>
          <Prose of={part.text} />
        </div>
      )
    case "call":
      return (
        <div class="said-part">
          <Badge>{text.calls(part.name)}</Badge>
          <CodeBlock snippets={[["", part.text]]} label={text.calls(part.name)} />
        </div>
      )
    case "result":
      return (
        <div class={part.isError ? "said-part bad" : "said-part"}>
          <Badge>{part.isError ? text.failedResult : text.result}</Badge>
          {part.parts.map((inner, index) => (
            <PartOf key={index} part={inner} />
          ))}
        </div>
      )
    case "other":
      return (
        <div class="said-part">
          <Badge>{part.name}</Badge>
          <CodeBlock snippets={[["", part.text]]} label={part.name} />
        </div>
      )
    default:
      return (
        <p class="said-media">
          <Badge>{text.media[part.kind]}</Badge> {part.text}
          {!part.text.includes("://") && <Faint> {text.notRecorded}</Faint>}
        </p>
      )
  }
}

const MessageOf = ({ turn }: { readonly turn: TranscriptMessage }) => {
  const name = text.roles[turn.role] ?? turn.role
  // Agents' instructions are pages long, and the same in each of their requests.
  const isLong = (turn.role === "system" || turn.role === "developer") && JSON.stringify(turn.parts).length > 600
  const parts = turn.parts.map((part, index) => <PartOf key={index} part={part} />)
  return (
    <li class={turn.isAnswer ? "turn reply" : "turn"}>
      {isLong ? (
        <details>
          <summary>
            <b>{name}</b>
          </summary>
          {parts}
        </details>
      ) : (
        <>
          <h3>
            {name}
            {turn.isAnswer && <Faint> {text.isAnswer}</Faint>}
          </h3>
          {parts}
        </>
      )}
    </li>
  )
}

/** Recorded bodies as a conversation, and as they are. */
export const Transcript = ({ bodies }: { readonly bodies: Bodies }) => {
  const transcript = transcriptOf(bodies.request, bodies.answer)
  return (
    <>
      {transcript === undefined ? (
        <p class="hint">{text.unreadable}</p>
      ) : (
        <>
          {transcript.tools.length > 0 && <p class="hint">{text.tools(transcript.tools.join(", "))}</p>}
          <ol class="turns">
            {transcript.turns.map((turn, index) => (
              <MessageOf key={index} turn={turn} />
            ))}
          </ol>
          {transcript.error !== undefined && (
            <p class="note bad">
              <b>{text.answerFailed}</b>
              {transcript.error}
            </p>
          )}
        </>
      )}
      {bodies.is_cut && <p class="hint">{text.bodiesCut}</p>}
      <details>
        <summary>{text.raw}</summary>
        <CodeBlock
          label={text.raw}
          snippets={[
            [text.asked, indent(bodies.request)],
            [text.answered, indent(bodies.answer)]
          ]}
        />
      </details>
    </>
  )
}
