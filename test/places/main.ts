/**
 * Asks every kind of request of every family before every place of the strict upstream, and prints what is refused;
 * `generated` asks drawn requests, and prints the smallest that is refused by each rule.
 *
 *   bun run test:long places [place] [family] [kind]
 *   bun run test:long places generated [place] [family] [runs]
 */
import "../seed.ts"
import { askAll, startPlaces } from "./ask.ts"
import { counterexamples } from "./generated.ts"
import { tried } from "./places.ts"

const named = async (place?: string, family?: string, kind?: string): Promise<number> => {
  const { asked, unanswered } = await askAll({ place, family, kind })
  const groups = new Map<string, { count: number; readonly kinds: Set<string>; readonly says: string }>()
  for (const { family, kind, place, rules, says, status } of unanswered) {
    const name = `${place} ${family} ${status} ${rules.join(" ") || "(the gateway's own)"}`
    const group = groups.get(name) ?? { count: 0, kinds: new Set(), says }
    group.count++
    group.kinds.add(kind)
    groups.set(name, group)
  }
  for (const [name, { count, kinds, says }] of groups)
    console.log(`${name}: ${count}, ${[...kinds].join("; ")}\n    ${says.slice(0, 200)}`)
  console.log(`${asked} asked, ${unanswered.length} refused`)
  return 0
}

const generated = async (wanted?: string, family?: string, runs = "2000"): Promise<number> => {
  const here = await startPlaces(wanted)
  let refused = 0
  for (const place of Object.keys(tried).filter((one) => (wanted ?? one) === one)) {
    for (const name of (["messages", "chat", "responses"] as const).filter((one) => (family ?? one) === one)) {
      const found = await counterexamples(here, name, place, Number(runs))
      refused += found.length
      console.log(`${name} at ${place}: ${runs} asked, ${found.length} kinds refused`)
      for (const { broken, model, request, says, status, stream } of found)
        console.log(
          `  ${broken}, ${model}${stream ? ", streamed" : ""}, ${status}: ${says.slice(0, 200)}\n    ${JSON.stringify(request).slice(0, 1_000)}`
        )
    }
  }
  await here.stop()
  return refused === 0 ? 0 : 1
}

const [first, ...others] = process.argv.slice(2)
process.exit(await (first === "generated" ? generated(...others) : named(first, ...others)))
