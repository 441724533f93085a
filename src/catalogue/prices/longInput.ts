/** The input above which the rates of long input count. xAI's count from the round number on. */
export const longAbove = (provider: string, step: number): number =>
  provider === "x-ai" && step > 0 && step % 1_000 === 0 ? step - 1 : step

/** OpenAI's models cost twice as much for input, and half as much again for output, above 272,000 tokens. */
export const longOpenai = (input: number, cached: number, output: number) => ({
  usd: { input, cached_input: cached, cache_write: input * 1.25, output },
  tiers: [
    {
      above: 272_000,
      usd: { input: input * 2, cached_input: cached * 2, cache_write: input * 2.5, output: output * 1.5 }
    }
  ]
})
