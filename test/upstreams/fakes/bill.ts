/** A finished video on an upstream's bill, as its price page counts it. */
export interface BillLine {
  /** The model's id there. */
  readonly model: string
  /** What is billed: tokens, or seconds. */
  readonly tokens?: number
  readonly seconds?: number
  readonly resolution: string
  readonly hasVideoInput: boolean
  /** Pictures among its inputs, where they are billed. */
  readonly images?: number
  readonly hasSound: boolean
  readonly tier: string
}

/** The seconds that are made beyond those that were asked for, as a prompt with `over:1` has it. */
export const secondsOver = (body: unknown): number => Number(/over:(\d+)/.exec(JSON.stringify(body))?.[1] ?? 0)

/** An input video's seconds, which its address tells: `https://media.example.com/4s.mp4`. */
export const secondsOf = (url: string): number => Number(/\/(\d+)s\.mp4$/.exec(url)?.[1] ?? 0)

/** The sum of what a fake measured. */
export const sumOf = (all: ReadonlyArray<number>): number => all.reduce((sum, one) => sum + one, 0)
