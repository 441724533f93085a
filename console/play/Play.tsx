import { useComputed, useSignal, useSignalEffect } from "@preact/signals"
import { useEffect, useMemo } from "preact/hooks"
import { gatewayUrl } from "../address.ts"
import { useApp } from "../hooks/useApp.ts"
import { useData } from "../hooks/useData.ts"
import { useShortcuts } from "../hooks/useShortcuts.ts"
import { Button, Segments } from "../parts/Button.tsx"
import { CodeBlock } from "../parts/CodeBlock.tsx"
import { Copyable, PageHead } from "../parts/text.tsx"
import { withQuery } from "../router.ts"
import { words } from "../words/words.ts"
import { bodyOf } from "./bodies.ts"
import { families, isFamily } from "./draft.ts"
import type { Input, Family } from "./draft.ts"
import { messagesOf } from "./exchange.ts"
import { FormView } from "./FormView.tsx"
import { makeLane } from "./lane.ts"
import { LaneView } from "./LaneView.tsx"
import { chosenOf, modelsFor } from "./models.ts"
import { Quote } from "./Quote.tsx"
import type { Repeated } from "./repeat.ts"
import { snippetsOf } from "./snippets.ts"
import { makeKeeper } from "./stored.ts"
import type { Stored } from "./stored.ts"
import { useForm } from "./useForm.ts"

const text = words.playground

export interface Prepared {
  /** The keys that an operator may act as. */
  readonly keys: ReadonlyArray<readonly [id: string, name: string]>
  readonly firstKey: string
  readonly repeated: Repeated | undefined
  readonly stored: Stored | undefined
}

const noteOf = ({ asked, family, isRecorded }: Repeated): string | undefined => {
  const isVideo = family === "videos"
  if (isRecorded) return asked.isPart === false ? undefined : isVideo ? text.onlyPartVideo : text.onlyPart
  return isVideo ? text.noPrompt : text.noBodies
}

/** The playground with its inputs and its conversations. */
export const Play = ({ firstKey, keys, repeated, stored }: Prepared) => {
  const app = useApp()
  const { query } = app.route()
  const asked = query.get("family")
  const family: Family = repeated?.family ?? (isFamily(asked) ? asked : (stored?.family ?? "messages"))
  const shown = useSignal(family)
  const now: Family = isFamily(asked) ? asked : shown.value
  const form = useForm({
    repeated,
    stored,
    models: { model: query.get("model"), beside: query.get("beside") }
  })
  const { fields } = form
  if (!keys.some(([id]) => id === fields.key.value.peek())) fields.key.value.value = firstKey
  const keyId = fields.key.value.value
  const isCompared = fields.beside.value.value !== ""
  const lanes = useMemo(() => {
    const before = repeated === undefined && stored?.family === family ? stored.lanes : []
    return [makeLane(app, before[0] ?? []), makeLane(app, before[1] ?? [])] as const
  }, [])
  const used = isCompared ? lanes : [lanes[0]]
  const models = useData(() => modelsFor(app, now, keyId), { by: [now, keyId], on: ["configuration"] })
  const isRunning = useComputed(() => lanes.some((lane) => lane.isRunning.value)).value

  // Another family begins a new conversation, with the same question.
  useEffect(() => {
    if (shown.peek() === now) return
    shown.value = now
    const last = lanes[0].exchanges.peek().findLast(({ asked }) => asked.role === "user")?.asked
    if (fields.user.value.peek() === "" && last?.role === "user") fields.user.value.value = last.text
    for (const lane of lanes) lane.clear()
  }, [now])
  useEffect(() => {
    if (models.value === undefined) return
    fields.model.value.value = chosenOf(models.value, fields.model.value.peek())
    if (fields.beside.value.peek() !== "")
      fields.beside.value.value = chosenOf(models.value, fields.beside.value.peek())
  }, [models.value])
  useEffect(() => {
    for (const lane of lanes) lane.resume(keyId)
    return () => lanes.forEach((lane) => lane.stop())
  }, [])
  const keeper = useMemo(() => makeKeeper(app.session), [])
  useEffect(() => {
    addEventListener("pagehide", keeper.now)
    return () => {
      removeEventListener("pagehide", keeper.now)
      keeper.now()
    }
  }, [])
  // The address has the family and the models.
  useSignalEffect(() => {
    const route = app.route()
    const [model, beside] = [fields.model.value.value, fields.beside.value.value]
    const family = route.query.get("family") ?? shown.peek()
    const href = withQuery(route, { family, model, beside, from: "", task: "" })
    const isHere = route.page === "playground" && model !== ""
    if (isHere && href !== location.pathname + location.search) app.go(href, "replace")
  })
  useSignalEffect(() => {
    const state = {
      family: shown.value,
      fields: form.values(),
      tools: form.tools.value,
      hasSearch: form.hasSearch.value,
      // Pictures and sound would fill the browser's storage.
      lanes: lanes.map(({ exchanges }) => exchanges.value.map((exchange) => ({ ...exchange, media: undefined })))
    }
    keeper.soon(state)
  })

  const modelOf = (at: number) => (at === 0 ? fields.model : fields.beside).value.value
  const next = (): Input => ({ role: "user", text: fields.user.value.value, files: form.files.value })
  const hasText = fields.user.value.value.trim() !== "" || form.files.value.length > 0
  const isUsable = models.value?.some(({ id }) => id === modelOf(0)) === true
  const press = async () => {
    if (isRunning) return used.forEach((lane) => lane.stop())
    if (!hasText || !isUsable) return fields.user.element.current?.focus()
    const sent = next()
    if (sent.role !== "user") return
    fields.user.value.value = ""
    form.files.value = []
    await Promise.all(used.map((lane, at) => lane.send(sent, form.settings(now, modelOf(at)), keyId)))
    // A question without any answer can be changed and sent again.
    const isLost = used.every((lane) => lane.exchanges.peek().at(-1)?.state === "failed")
    if (!isLost || fields.user.value.peek() !== "") return
    fields.user.value.value = sent.text
    form.files.value = sent.files
  }
  useShortcuts({ send: () => void press() })

  // Without a new question, the code is that of the last one.
  const exchanges = lanes[0].exchanges.value
  const last = hasText ? undefined : exchanges.at(-1)
  const shownAsked = last?.asked ?? next()
  const before = last === undefined ? exchanges : exchanges.slice(0, -1)
  const body = bodyOf({
    ...form.settings(now, modelOf(0)),
    messages: [...messagesOf(before, shownAsked), shownAsked]
  })
  const compare = () => {
    fields.beside.value.value = isCompared ? "" : modelOf(0)
    lanes[1].clear()
  }
  const isBegun = lanes.some((lane) => lane.exchanges.value.length > 0)
  const note = repeated && noteOf(repeated)
  return (
    <>
      <PageHead
        title={words.pages.playground}
        note={
          repeated && (
            <>
              {text.repeated("")}
              <Copyable text={repeated.id} />
            </>
          )
        }
      >
        {isBegun && <Button onClick={() => lanes.forEach((lane) => lane.clear())}>{text.anew}</Button>}
        <Button disabled={!isUsable} onClick={compare}>
          {isCompared ? text.together : text.compare}
        </Button>
        <Segments
          label={text.family}
          choices={families.map((name) => [name, text.families[name]] as const)}
          chosen={now}
          choose={(name) => app.go(withQuery(app.route(), { family: name }), "replace")}
        />
      </PageHead>
      <div class={isCompared ? "playground two" : "playground"}>
        <section aria-label={text.request}>
          {note !== undefined && <p class="hint">{note}</p>}
          <FormView family={now} form={form} isCompared={isCompared} keys={keys} models={models.value ?? []}>
            <div class="send">
              <Button look="primary" onClick={() => void press()}>
                {isRunning ? text.stop : text.send}
                {!isRunning && <kbd aria-hidden="true">Ctrl ↵</kbd>}
              </Button>
              <Quote family={now} body={body} keyId={keyId} isAsked={hasText && isUsable} />
            </div>
          </FormView>
        </section>
        <section aria-label={text.answer}>
          <div class="lanes">
            {used.map((lane, at) => (
              <LaneView
                key={at}
                id={String(at)}
                lane={lane}
                title={isCompared ? modelOf(at) : undefined}
                send={(results) => void lane.send(results, form.settings(now, modelOf(at)), keyId)}
              />
            ))}
          </div>
          <CodeBlock snippets={snippetsOf(gatewayUrl, now, body)} label={text.sameAs} />
        </section>
      </div>
    </>
  )
}
