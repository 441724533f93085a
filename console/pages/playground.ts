import type { RenderPage } from "../app.ts"
import { button, copyable, quiet, segments } from "../components/bits.ts"
import { codeBlock } from "../components/codeBlock.ts"
import { field, select, textArea, textInput } from "../components/fields.ts"
import { empty, loader } from "../components/states.ts"
import { fill, h } from "../dom.ts"
import { matches } from "../format.ts"
import { pageHead } from "../frame.ts"
import { answerView } from "../play/answerView.ts"
import { bodyOf } from "../play/bodies.ts"
import { families, isFamily, isStreamed } from "../play/draft.ts"
import type { Draft, Family, ToolTurn } from "../play/draft.ts"
import { dropZone } from "../play/files.ts"
import { costOf, kindsOf } from "../play/known.ts"
import { quoteLine } from "../play/quoteLine.ts"
import { toRepeat } from "../play/repeat.ts"
import type { Repeated } from "../play/repeat.ts"
import { sendDraft } from "../play/send.ts"
import { snippetsOf } from "../play/snippets.ts"
import { toolEditor } from "../play/tools.ts"
import { hrefOf, withQuery } from "../router.ts"
import { words } from "../words/words.ts"

const text = words.playground

const forText = [
  "delay=2s",
  "pace=50ms",
  "tokens=500",
  "error=429",
  "error=500",
  "cut=20",
  "stall",
  "finish=refusal",
  "tool=get_weather"
]
const forVideo = ["queue=1m", "render=10s", "error=429", "fail=OutputVideoSensitiveContentDetected"]

const likely = (family: Family, model: string): boolean =>
  family === "videos"
    ? /video|seedance|sora|veo|kling/i.test(model)
    : family === "embeddings"
      ? /embed/i.test(model)
      : !/video|embed|seedance|sora/i.test(model)

/** Adds a choice that is not in the list. */
const choose = (element: HTMLSelectElement, value: string | undefined): void => {
  if (value === undefined) return
  if (![...element.options].some((option) => option.value === value)) element.append(h("option", { value }, value))
  element.value = value
}

const numberIn = (input: HTMLInputElement): number | undefined => {
  const value = Number(input.value)
  return input.value.trim() === "" || Number.isNaN(value) ? undefined : value
}

/** Any model, any family, streamed; with a quote beforehand, and the same request as code. */
export const playground: RenderPage = (app, main) => {
  const families_ = h("span")
  const head = pageHead(words.pages.playground, families_)
  const changed = () => {
    drawCode()
    quote.ask()
  }
  const model = select([], "", { id: "play-model" })
  const key = select([], "", { id: "play-key" })
  const system = textArea("", 2, { id: "play-system" })
  const user = textArea(text.first, 5, { id: "play-user" })
  const maxTokens = textInput("1024", { id: "play-tokens", inputmode: "numeric" })
  const temperature = textInput("", { id: "play-temperature", inputmode: "decimal", placeholder: text.own })
  const resolution = select(
    ["480p", "720p", "1080p"].map((name) => [name, name] as const),
    "480p",
    { id: "play-resolution" }
  )
  const ratio = select(
    ["16:9", "4:3", "1:1", "3:4", "9:16", "21:9"].map((name) => [name, name] as const),
    "16:9",
    { id: "play-ratio" }
  )
  const seconds = textInput("4", { id: "play-seconds", inputmode: "numeric" })
  const files = dropZone(app.toast, changed)
  const tools = toolEditor(changed)
  const code = h("div")
  const form = h("div", { class: "play-form" })
  const note = h("p", { class: "hint", hidden: true }, text.noBodies)
  const answer = answerView(app, (turns) => void send(turns))
  const quote = quoteLine(app, () => ({ draft: draft([]), key: key.value }))
  const sendButton = button([text.send, h("kbd", { "aria-hidden": "true" }, "Ctrl ↵")], () => press(), {
    look: "primary"
  })
  let running: AbortController | undefined
  let latest: AbortController | undefined

  const family = (): Family => {
    const asked = app.route().query.get("family")
    return isFamily(asked) ? asked : "messages"
  }
  const draft = (turns: ReadonlyArray<ToolTurn>): Draft => ({
    family: family(),
    model: model.value,
    system: system.value.trim(),
    user: user.value,
    files: files.files(),
    tools: tools.tools(),
    hasSearch: tools.hasSearch(),
    maxTokens: numberIn(maxTokens),
    temperature: numberIn(temperature),
    video: { resolution: resolution.value, ratio: ratio.value, seconds: numberIn(seconds) ?? 4 },
    turns
  })
  const drawCode = () =>
    fill(code, codeBlock(app, snippetsOf(location.origin, family(), bodyOf(draft([]))), text.sameAs))

  const idle = () => {
    running = undefined
    fill(sendButton, text.send, h("kbd", { "aria-hidden": "true" }, "Ctrl ↵"))
  }
  const send = async (turns: ReadonlyArray<ToolTurn>) => {
    running?.abort()
    const mine = new AbortController()
    running = mine
    latest = mine
    fill(sendButton, text.stop)
    answer.begin(turns)
    try {
      const sent = await sendDraft(app, draft(turns), key.value, mine.signal, answer.tell)
      answer.tell(sent)
      if (running === mine) idle()
      if (sent.requestId !== null && sent.costUsd === null && isStreamed(family())) {
        const cost = await costOf(app, sent.requestId)
        if (latest === mine && cost !== undefined && sent.answer.calls.length === 0) answer.cost(cost, sent)
      }
    } catch (error) {
      if (mine.signal.aborted) answer.stop()
      else answer.fail(error)
    } finally {
      if (running === mine) idle()
    }
  }
  const press = () => {
    if (running === undefined) return void send([])
    running.abort()
    idle()
  }

  const directive = (setting: string) => {
    user.value = `[[sandbox: ${setting}]] ${user.value.replace(/^\[\[sandbox:[^\]]*\]\] ?/, "")}`
    const sandbox = [...model.options].find(({ value }) => value.startsWith("sandbox") && likely(family(), value))
    if (sandbox !== undefined) model.value = sandbox.value
    changed()
  }
  const drawForm = () => {
    const now = family()
    const isText = now !== "videos" && now !== "embeddings"
    fill(
      form,
      note,
      h("div", { class: "pair" }, field(text.model, model), app.session.kind === "operator" && field(text.as, key)),
      isText && field(text.system, system),
      field(now === "videos" ? text.prompt : now === "embeddings" ? text.input : text.user, user),
      now !== "embeddings" && files.element,
      isText && h("div", { class: "field" }, h("span", { class: "label" }, text.tools), tools.element),
      isText && h("div", { class: "pair" }, field(text.maxTokens, maxTokens), field(text.temperature, temperature)),
      now === "videos" && h("div", { class: "pair" }, field(text.resolution, resolution), field(text.ratio, ratio)),
      now === "videos" && field(text.seconds, seconds),
      now !== "embeddings" &&
        h(
          "div",
          { class: "field" },
          h("span", { class: "label" }, text.badDay, " ", h("span", { class: "faint" }, text.directives)),
          h(
            "div",
            { class: "chips" },
            (now === "videos" ? forVideo : forText).map((setting) =>
              h("button", { type: "button", class: "chip", on: { click: () => directive(setting) } }, setting)
            )
          )
        ),
      h("div", { class: "send" }, sendButton, quote.element)
    )
  }
  const page = h(
    "div",
    { class: "playground" },
    h("section", { "aria-label": text.request, on: { input: changed, change: changed } }, form),
    h("section", { "aria-label": text.answer }, answer.element, code)
  )
  const waiting = h("div", { class: "page" })
  fill(main, head.element, waiting)

  const fillModels = async () => {
    const wanted = model.value === "" ? (app.route().query.get("model") ?? "") : model.value
    const all = app.session.kind === "operator" ? await app.catalogue.modelsOf(key.value) : await app.catalogue.models()
    const kinds = await kindsOf(app)
    const wantedKind = family() === "videos" ? "video" : family() === "embeddings" ? "embedding" : "text"
    const fit = all.filter((name) => (kinds.get(name) ?? (likely(family(), name) ? wantedKind : "")) === wantedKind)
    const names = fit.length === 0 ? all : fit
    const chosen = names.includes(wanted)
      ? wanted
      : (names.find((name) => name.startsWith("sandbox")) ?? names[0] ?? "")
    fill(
      model,
      names.map((name) => h("option", { value: name, selected: name === chosen }, name))
    )
    changed()
  }
  const keyless = () => {
    const make = h("a", { class: "button primary", href: hrefOf("keys", undefined, { new: "" }) }, text.makeKey)
    return h("div", { class: "page" }, empty(app, text.noKey, "", [], make))
  }
  /** Fills the list of usable keys. */
  const fillKeys = async () => {
    const active = (await app.catalogue.keys()).filter(({ status }) => status === "active")
    if (app.session.kind === "operator" && active.length === 0) return false
    const asked = app.route().query.get("model") ?? ""
    const first =
      active.find(({ models }) => models.some((pattern) => matches(pattern, asked === "" ? "sandbox-text" : asked))) ??
      active[0]
    fill(
      key,
      active.map(({ account, id, name }) =>
        h("option", { value: id, selected: id === first?.id }, `${account} / ${name}`)
      )
    )
    return true
  }
  /** Fills the form from a request or a task. */
  const repeat = ({ asked, family, id, isRecorded, key: madeWith, model }: Repeated) => {
    fill(head.note, quiet(text.repeated(""), copyable(app, id)))
    if (isRecorded) {
      user.value = asked.user ?? ""
      system.value = asked.system ?? ""
      maxTokens.value = asked.maxTokens === undefined ? "" : String(asked.maxTokens)
      temperature.value = asked.temperature === undefined ? "" : String(asked.temperature)
      tools.use(asked.tools ?? [])
    }
    choose(resolution, asked.resolution)
    choose(ratio, asked.ratio)
    if (asked.seconds !== undefined) seconds.value = String(asked.seconds)
    const isVideo = family === "videos"
    note.textContent = isRecorded
      ? isVideo
        ? text.onlyPartVideo
        : text.onlyPart
      : isVideo
        ? text.noPrompt
        : text.noBodies
    note.hidden = isRecorded && asked.isPart === false
    if ([...key.options].some(({ value }) => value === madeWith)) key.value = madeWith
    app.go(withQuery(app.route(), { family, from: "", task: "", model }), "replace")
  }
  key.addEventListener("change", () => void fillModels())
  let isReady = false
  const prepare = async () => {
    const hasKey = await fillKeys()
    const { query } = app.route()
    const repeated = hasKey
      ? await toRepeat(app, query.get("from"), query.get("task")).catch(() => undefined)
      : undefined
    if (repeated !== undefined) repeat(repeated)
    if (hasKey) await fillModels()
    return hasKey
  }
  const loading = loader(app, words.pages.playground, waiting, prepare, (hasKey) => {
    isReady = hasKey
    fill(main, head.element, hasKey ? page : keyless())
  })
  void loading.run()
  let shown: string | undefined
  return {
    show() {
      const now = family()
      fill(
        families_,
        segments(
          text.family,
          families.map((name) => [name, text.families[name]]),
          now,
          (name) => app.go(withQuery(app.route(), { family: name, model: "" }), "replace")
        )
      )
      if (shown === now) return
      shown = now
      drawForm()
      if (isReady) void fillModels().catch(() => undefined)
    },
    send: press,
    close() {
      loading.close()
      running?.abort()
      quote.close()
    }
  }
}
