import type { App } from "../app.ts"
import { Refused } from "../client.ts"
import { button, fact, facts, faint, mono, took } from "../components/bits.ts"
import { field, textArea } from "../components/fields.ts"
import { status } from "../components/status.ts"
import { fill, h } from "../dom.ts"
import { number, usd } from "../format.ts"
import { hrefOf } from "../router.ts"
import { words } from "../words/words.ts"
import type { ToolTurn } from "./draft.ts"
import type { Sent } from "./send.ts"

const text = words.playground

/**
 * Shows an answer as it arrives; tool calls are answered here.
 *
 * @param goOn gets the earlier turns once the calls have results
 */
export const answerView = (app: App, goOn: (turns: ReadonlyArray<ToolTurn>) => void) => {
  const state = h("span", { class: "faint", role: "status" }, text.notSent)
  const said = h("div", { class: "answer", "aria-live": "polite" }, faint(text.here))
  const figures = h("div")
  let turns: ReadonlyArray<ToolTurn> = []

  const past = () =>
    turns.map((turn) => [
      turn.text !== "" && h("p", {}, turn.text),
      turn.calls.map((call, at) =>
        h(
          "div",
          { class: "call" },
          h("div", {}, mono(call.name), " ", h("code", { class: "quiet" }, call.arguments)),
          h("div", {}, faint(text.answered), " ", h("code", { class: "quiet" }, turn.outputs[at] ?? ""))
        )
      )
    ])
  const calls = ({ answer, isOver }: Sent) => {
    const inputs = answer.calls.map(() => textArea(text.toolAnswer, 2, { class: "input mono" }))
    return [
      answer.calls.map((call, at) => {
        const input = inputs[at]
        if (input !== undefined) input.id = `tool-answer-${at}`
        return h(
          "div",
          { class: "call" },
          h("div", {}, mono(call.name), " ", h("code", { class: "quiet" }, call.arguments)),
          isOver && input !== undefined && field(text.answerTool(call.name), input)
        )
      }),
      isOver &&
        answer.calls.length > 0 &&
        button(
          text.sendResult,
          () => {
            turns = [...turns, { text: answer.text, calls: answer.calls, outputs: inputs.map(({ value }) => value) }]
            goOn(turns)
          },
          { look: "primary" }
        )
    ]
  }
  const tell = (sent: Sent) => {
    const { answer, isOver } = sent
    said.classList.toggle("streaming", !isOver)
    fill(
      said,
      past(),
      answer.reasoning !== "" && h("p", { class: "reasoning" }, answer.reasoning),
      (answer.text !== "" || !isOver) && h("span", { class: "text" }, answer.text),
      calls(sent),
      sent.task !== undefined &&
        h("p", {}, mono(sent.task.id), " ", h("a", { href: hrefOf("tasks", sent.task.id) }, text.seeTask)),
      answer.error !== undefined && h("p", { class: "note bad" }, answer.error)
    )
    if (!isOver) {
      fill(state, status("running", text.streaming))
      return
    }
    fill(
      state,
      answer.error === undefined
        ? status("well", answer.stop ?? text.finished, sent.status)
        : status("bad", text.cut, sent.status)
    )
    fill(
      figures,
      facts(
        true,
        fact(text.facts.first, sent.firstMs === undefined ? words.none : took(sent.firstMs)),
        fact(text.facts.duration, took(sent.ms)),
        fact(
          text.facts.tokens,
          h(
            "span",
            { class: "num" },
            answer.input === undefined ? words.none : number(answer.input),
            faint(" / "),
            answer.output === undefined ? words.none : number(answer.output)
          )
        ),
        fact(text.facts.cost, sent.costUsd === null ? words.none : usd(Number(sent.costUsd), 6))
      ),
      h(
        "p",
        { class: "hint" },
        sent.requestId !== null && h("a", { href: hrefOf("requests", sent.requestId) }, text.seeRequest),
        sent.adapted !== null && ` · ${text.adapted(sent.adapted)}`
      )
    )
  }
  return {
    element: h(
      "div",
      { class: "answer-part" },
      h("div", { class: "caption" }, h("h2", {}, text.answer), state),
      said,
      figures
    ),
    begin(earlier: ReadonlyArray<ToolTurn>) {
      turns = earlier
      fill(state, status("running", text.sending))
      fill(figures)
      fill(said, past())
    },
    tell,
    /** Shows the cost once it is known. */
    cost(costUsd: number, sent: Sent) {
      tell({ ...sent, costUsd: String(costUsd) })
    },
    stop: () => {
      said.classList.remove("streaming")
      fill(state, status("off", text.stopped))
    },
    fail(error: unknown) {
      said.classList.remove("streaming")
      const refusal = error instanceof Refused ? error : undefined
      fill(
        state,
        status(
          refusal !== undefined && refusal.status < 500 && refusal.status > 0 ? "warn" : "bad",
          text.failed,
          refusal?.status
        )
      )
      fill(
        said,
        past(),
        h(
          "p",
          { class: "note bad" },
          refusal === undefined ? words.failed.unknown : [h("b", {}, refusal.code), " ", refusal.message]
        ),
        refusal?.requestId !== null &&
          refusal?.requestId !== undefined &&
          h("p", { class: "hint" }, h("a", { href: hrefOf("requests", refusal.requestId) }, text.seeRequest))
      )
    }
  }
}
