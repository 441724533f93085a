import type { Signal } from "@preact/signals"
import { words } from "../words/words.ts"

/** Switches live rows on and off. */
export const LiveButton = ({ isOn }: { readonly isOn: Signal<boolean> }) => (
  <button
    type="button"
    class="button live"
    aria-pressed={isOn.value}
    title={words.frame.liveTitle}
    onClick={() => (isOn.value = !isOn.value)}
  >
    <i />
    {words.frame.live}
  </button>
)
