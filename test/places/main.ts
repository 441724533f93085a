/**
 * Asks every kind of request of every family before every place of the strict upstream, and prints what is refused.
 *
 *   bun run test:long places [place] [family] [kind]
 */
import { askAll } from "./ask.ts"

const [place, family, kind] = process.argv.slice(2)
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
process.exit(0)
