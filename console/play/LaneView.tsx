import { useSignal } from "@preact/signals"
import type { ComponentChildren } from "preact"
import { costText } from "../../src/contract/text/usdText.ts"
import { durationText, number } from "../format.ts"
import { Film } from "../pages/Film.tsx"
import { Button } from "../parts/Button.tsx"
import { Status } from "../parts/Status.tsx"
import { Copyable, Faint } from "../parts/text.tsx"
import { hrefOf } from "../router.ts"
import { words } from "../words/words.ts"
import type { Input, ToolCall } from "./draft.ts"
import { pendingCalls } from "./exchange.ts"
import type { Exchange } from "./exchange.ts"
import type { Lane } from "./lane.ts"
import { MediaView } from "./MediaView.tsx"

const text = words.playground

const Call = ({ call, children }: { readonly call: ToolCall; readonly children?: ComponentChildren }) => (
  <div class="call">
    <div>
      <code>{call.name}</code> <code class="quiet">{call.arguments}</code>
    </div>
    {children}
  </div>
)

const Question = ({ asked }: { readonly asked: Input }) =>
  asked.role === "user" ? (
    <div class="asked">
      <span class="sr">{text.you}: </span>
      {asked.text}
      {asked.files.map(({ name }, at) => (
        <Faint key={at}> {name}</Faint>
      ))}
    </div>
  ) : (
    <>
      {asked.calls.map((call, at) => (
        <Call key={call.id} call={call}>
          <div>
            <Faint>{text.answered}</Faint> <code class="quiet">{asked.outputs[at]}</code>
          </div>
        </Call>
      ))}
    </>
  )

const State = ({ answer: { stop }, code, state, status, task, video }: Exchange) => {
  switch (state) {
    case "running":
      if (video !== undefined) {
        const progress = video.progress === undefined ? "" : ` ${video.progress} %`
        return <Status tone={video.status === "queued" ? "waiting" : "running"}>{`${video.status}${progress}`}</Status>
      }
      return <Status tone="running">{status === undefined ? text.sending : text.streaming}</Status>
    case "finished":
      return (
        <Status tone="well" code={status}>
          {stop ?? (task === undefined || video !== undefined ? text.finished : text.created)}
        </Status>
      )
    case "stopped":
      return <Status tone="off">{text.stopped}</Status>
    case "failed":
      return (
        <Status tone={status !== undefined && status >= 400 && status < 500 ? "warn" : "bad"} code={status}>
          {code === undefined ? (video === undefined ? text.cut : video.status) : text.failed}
        </Status>
      )
  }
}

/** State, times, tokens and cost of an exchange. */
const Figures = (exchange: Exchange) => {
  const { adapted, answer, cost, firstMs, ms, requestId, state } = exchange
  const parts = [
    ...(firstMs === undefined ? [] : [text.firstAfter(durationText(firstMs))]),
    ...(state === "running" && exchange.video === undefined ? [] : [durationText(ms)]),
    ...(answer.input === undefined && answer.output === undefined
      ? []
      : [text.tokens(number(answer.input ?? 0), number(answer.output ?? 0))]),
    ...(cost === undefined ? [] : [costText(cost)]),
    ...(adapted === undefined ? [] : [text.adapted(adapted)])
  ]
  return (
    <p class="exchange-figures num" role="status">
      <State {...exchange} />
      <span>{parts.join(" · ")}</span>
      {requestId !== undefined && <a href={hrefOf("requests", requestId)}>{text.seeRequest}</a>}
    </p>
  )
}

const Answered = ({ exchange, hasCalls }: { readonly exchange: Exchange; readonly hasCalls: boolean }) => {
  const { answer, code, media, state, task, video } = exchange
  return (
    <>
      {answer.reasoning !== "" && (
        <details class="reasoning">
          <summary>{text.reasoning}</summary>
          {answer.reasoning}
        </details>
      )}
      {answer.text !== "" && <div class={state === "running" ? "text streaming" : "text"}>{answer.text}</div>}
      {hasCalls && answer.calls.map((call) => <Call key={call.id} call={call} />)}
      {video?.progress !== undefined && state === "running" && (
        <progress max={100} value={video.progress} aria-label={text.progress} />
      )}
      {video?.url !== undefined && <Film url={video.url} />}
      {media !== undefined && <MediaView media={media} />}
      {task !== undefined && (
        <p>
          <Copyable text={task} /> <a href={hrefOf("tasks", task)}>{text.seeTask}</a>
        </p>
      )}
      {answer.error !== undefined && (
        <p class="note bad">
          {code !== undefined && <b>{code} </b>}
          {answer.error}
        </p>
      )}
    </>
  )
}

/** Asks for the results of tool calls. */
const Results = ({
  calls,
  id,
  send
}: {
  readonly id: string
  readonly calls: ReadonlyArray<ToolCall>
  readonly send: (asked: Input) => void
}) => {
  const outputs = useSignal(calls.map(() => text.toolAnswer))
  return (
    <>
      {calls.map((call, at) => (
        <Call key={call.id} call={call}>
          <div class="field">
            <label for={`tool-answer-${id}-${at}`}>{text.answerTool(call.name)}</label>
            <textarea
              id={`tool-answer-${id}-${at}`}
              class="input mono"
              rows={2}
              value={outputs.value[at] ?? ""}
              onInput={(event) => (outputs.value = outputs.value.with(at, event.currentTarget.value))}
            />
          </div>
        </Call>
      ))}
      <div>
        <Button look="primary" onClick={() => send({ role: "tools", calls, outputs: outputs.value })}>
          {text.sendResult}
        </Button>
      </div>
    </>
  )
}

/** The sums of a conversation of several exchanges. */
const Sums = ({ exchanges }: { readonly exchanges: ReadonlyArray<Exchange> }) => {
  const cost = exchanges.reduce((sum, one) => sum + (one.cost ?? 0), 0)
  const ms = exchanges.reduce((sum, one) => sum + one.ms, 0)
  return exchanges.length < 2 ? (
    <Faint>{exchanges.length === 0 ? text.notSent : ""}</Faint>
  ) : (
    <Faint>{text.sums(number(exchanges.length), durationText(ms), costText(cost))}</Faint>
  )
}

/** A model's conversation as it is answered; tool calls get their results here. */
export const LaneView = ({
  id,
  lane,
  send,
  title
}: {
  readonly id: string
  /** The model, where two are compared. */
  readonly title: string | undefined
  readonly lane: Lane
  readonly send: (asked: Input) => void
}) => {
  const exchanges = lane.exchanges.value
  const calls = pendingCalls(exchanges)
  return (
    <div class="lane" role={title === undefined ? undefined : "group"} aria-label={title && `${id}: ${title}`}>
      <div class="caption">
        <h2>{title ?? text.answer}</h2>
        <Sums exchanges={exchanges} />
      </div>
      <div class="answer" aria-live="polite">
        {exchanges.length === 0 && <Faint>{text.here}</Faint>}
        {exchanges.map((exchange, at) => {
          const isLast = at === exchanges.length - 1
          return (
            <div key={at} class="exchange">
              <Question asked={exchange.asked} />
              <Answered
                exchange={exchange}
                // Below, each call stands with its result.
                hasCalls={isLast && calls.length === 0}
              />
              <Figures {...exchange} />
            </div>
          )
        })}
        {calls.length > 0 && <Results key={calls[0]?.id ?? ""} id={id} calls={calls} send={send} />}
      </div>
    </div>
  )
}
