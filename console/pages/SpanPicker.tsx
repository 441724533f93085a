import { useSignal } from "@preact/signals"
import { utc } from "../format.ts"
import { useApp } from "../hooks/useApp.ts"
import { Button, Segments } from "../parts/Button.tsx"
import { withQuery } from "../router.ts"
import { spanNames } from "../spans.ts"
import type { Span } from "../spans.ts"
import { words } from "../words/words.ts"

const text = words.overview

/** A moment as a field of the browser has it: `2026-01-31T12:00` in the viewer's time zone. */
const fieldOf = (ms: number): string =>
  new Date(ms - new Date(ms).getTimezoneOffset() * 60_000).toISOString().slice(0, 16)

const OwnSpan = ({ close, span }: { readonly span: Span; readonly close: () => void }) => {
  const app = useApp()
  const from = useSignal(fieldOf(span.from))
  const to = useSignal(fieldOf(span.to))
  const isWrong = useSignal(false)
  const field = (label: string, of: typeof from) => (
    <label>
      {label}
      <input
        class="input"
        type="datetime-local"
        value={of.value}
        onInput={(event) => (of.value = event.currentTarget.value)}
      />
    </label>
  )
  return (
    <form
      class="own-span"
      onSubmit={(event) => {
        event.preventDefault()
        const [begin, end] = [new Date(from.value).getTime(), new Date(to.value).getTime()]
        isWrong.value = !(begin > 0 && begin < end)
        if (isWrong.value) return
        close()
        app.go(withQuery(app.route(), { range: "", t: `${begin}-${end}` }))
      }}
    >
      {field(text.ownFrom, from)}
      {field(text.ownTo, to)}
      <button type="submit" class="button primary">
        {text.ownShow}
      </button>
      <small role="status">{isWrong.value ? text.ownWrong : text.ownHint}</small>
    </form>
  )
}

/** Chooses the time span of a page; the address holds it. */
export const SpanPicker = ({ span }: { readonly span: Span }) => {
  const app = useApp()
  const isOpen = useSignal(false)
  return (
    <div class="span-picker">
      <Segments
        label={text.range}
        choices={spanNames.map((name) => [name, text.ranges[name]] as const)}
        chosen={span.name}
        choose={(name) => {
          isOpen.value = false
          app.go(withQuery(app.route(), { range: name, t: "" }))
        }}
      />
      <Button isPressed={span.name === undefined || isOpen.value} onClick={() => (isOpen.value = !isOpen.value)}>
        {text.own}
      </Button>
      <span class="faint num">{text.span(utc(span.from).slice(0, 16), utc(span.to).slice(0, 16))}</span>
      {isOpen.value && <OwnSpan span={span} close={() => (isOpen.value = false)} />}
    </div>
  )
}
