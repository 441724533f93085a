import { useSignal } from "@preact/signals"
import { useRef } from "preact/hooks"
import { useCopy } from "../hooks/useCopy.ts"
import { words } from "../words/words.ts"
import { Button } from "./Button.tsx"

/** @param whole the text to copy, if it is longer than the shown one */
export type Snippet = readonly [name: string, text: string, whole?: string]

/** Text to copy, with tabs if there are several. */
export const CodeBlock = ({
  label = words.code,
  snippets
}: {
  readonly snippets: ReadonlyArray<Snippet>
  readonly label?: string
}) => {
  const copy = useCopy()
  const chosen = useSignal(0)
  const tabs = useRef<HTMLSpanElement>(null)
  const at = Math.min(chosen.value, snippets.length - 1)
  const [name = "", text = "", whole = text] = snippets[at] ?? []
  const copyButton = (
    <Button look="small" onClick={() => copy(whole)}>
      {words.copy.button}
    </Button>
  )
  const pane = (
    <pre key={at} tabIndex={0} role="region" aria-label={name === "" ? label : name}>
      {text}
    </pre>
  )
  if (snippets.length <= 1) {
    return (
      <div class="code alone">
        {copyButton}
        {pane}
      </div>
    )
  }
  const move = (event: KeyboardEvent) => {
    const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0
    if (by === 0) return
    event.preventDefault()
    chosen.value = (at + by + snippets.length) % snippets.length
    tabs.current?.querySelectorAll("button")[chosen.value]?.focus()
  }
  return (
    <div class="code">
      <div class="code-head">
        <span ref={tabs} role="tablist" aria-label={label} onKeyDown={move}>
          {snippets.map(([name], index) => (
            <button
              key={name}
              type="button"
              role="tab"
              aria-selected={index === at}
              tabIndex={index === at ? 0 : -1}
              onClick={() => (chosen.value = index)}
            >
              {name}
            </button>
          ))}
        </span>
        {copyButton}
      </div>
      {pane}
    </div>
  )
}
