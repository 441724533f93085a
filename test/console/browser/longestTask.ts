import type { Browser } from "playwright-core"

interface TraceEvent {
  readonly name: string
  readonly ph: string
  readonly pid: number
  readonly tid: number
  /** Of the processor, in µs. */
  readonly tdur?: number
}

/** The longest that a page's main thread computed in one go while something was done, in ms of the processor. */
export const longestTaskMs = async (browser: Browser, run: () => Promise<unknown>): Promise<number> => {
  const session = await browser.newBrowserCDPSession()
  const events: Array<TraceEvent> = []
  session.on("Tracing.dataCollected", ({ value }) => events.push(...(value as unknown as ReadonlyArray<TraceEvent>)))
  const complete = new Promise<void>((resolve) => session.once("Tracing.tracingComplete", () => resolve()))
  await session.send("Tracing.start", {
    traceConfig: { includedCategories: ["disabled-by-default-devtools.timeline", "devtools.timeline"] },
    transferMode: "ReportEvents"
  })
  await run()
  await session.send("Tracing.end")
  await complete
  await session.detach()
  // Layouts are the main thread's of a page; most of them are of the one that was scrolled.
  const layouts = new Map<string, number>()
  const threadOf = ({ pid, tid }: TraceEvent) => `${pid} ${tid}`
  for (const event of events)
    if (event.name === "Layout") layouts.set(threadOf(event), (layouts.get(threadOf(event)) ?? 0) + 1)
  const [thread] = [...layouts].toSorted(([, one], [, other]) => other - one)[0] ?? []
  const tasks = events.filter((event) => event.ph === "X" && event.name === "RunTask" && threadOf(event) === thread)
  if (tasks.length === 0) throw new Error("the browser told of no task of the page")
  return tasks.reduce((longest, { tdur = 0 }) => Math.max(longest, tdur), 0) / 1_000
}
