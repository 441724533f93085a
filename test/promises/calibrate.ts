import { slowness } from "./machine.ts"

/** Before the first promise: how this machine compares. */
export default async () => {
  const [clock, processor] = [await slowness("clock"), await slowness("processor")]
  console.log(
    `This machine, at the start: bounds by the clock ×${clock.toFixed(2)}, bounds of processor time ×${processor.toFixed(2)}. Measured again before and after each promise.`
  )
}
