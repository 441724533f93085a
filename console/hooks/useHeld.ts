import { useRef } from "preact/hooks"
import type { Data } from "./useData.ts"

/** Data whose earlier value stays shown until another one is loaded. */
export const useHeld = <A>(data: Data<A>): Data<A> => {
  const held = useRef(data.value)
  if (data.value !== undefined) held.current = data.value
  return { ...data, value: data.value ?? held.current }
}
