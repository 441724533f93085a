import { read } from "./documents.ts"

/** The tests that docs/embedding.md shows in full, by the names of their blocks. */
export const exampleTests = ["jwt.test.ts", "scripted.test.ts", "expiry.test.ts"] as const

export const exampleBlocks = async (): Promise<Readonly<Record<string, string>>> =>
  Object.fromEntries(
    await Promise.all(
      exampleTests.map(async (name) => {
        const code = await read(`examples/${name}`)
        return [name, `\`\`\`ts\n${code.trim()}\n\`\`\``] as const
      })
    )
  )
