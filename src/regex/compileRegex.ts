import { UnsupportedRegex } from "./parseRegex.ts"
import type { Node, Unit } from "./parseRegex.ts"

/** An instruction of the machine. A split prefers its first branch. */
export type Instruction =
  | { readonly op: "unit"; readonly fits: Unit }
  | { readonly op: "assertion"; readonly holds: (text: string, at: number) => boolean }
  | { readonly op: "split"; first: number; second: number }
  | { readonly op: "jump"; to: number }
  | { readonly op: "match" }

/** Bounds the cost per position of the text. */
const mostInstructions = 5_000

/** @throws UnsupportedRegex if repetitions make it too large */
export const compileRegex = (root: Node): ReadonlyArray<Instruction> => {
  const program: Array<Instruction> = []
  let steps = 0
  const add = <I extends Instruction>(instruction: I): I => {
    program.push(instruction)
    return instruction
  }
  const emit = (node: Node): void => {
    if (++steps > mostInstructions) throw new UnsupportedRegex("it repeats too much")
    switch (node.type) {
      case "unit":
        add({ op: "unit", fits: node.fits })
        break
      case "assertion":
        add({ op: "assertion", holds: node.holds })
        break
      case "sequence":
        for (const part of node.parts) emit(part)
        break
      case "either":
        emitEither(node.branches)
        break
      case "repetition":
        emitRepetition(node)
    }
  }
  const emitEither = (branches: ReadonlyArray<Node>) => {
    const ends: Array<{ to: number }> = []
    for (const [index, branch] of branches.entries()) {
      if (index === branches.length - 1) {
        emit(branch)
        break
      }
      const split = add({ op: "split", first: program.length + 1, second: 0 })
      emit(branch)
      ends.push(add({ op: "jump", to: 0 }))
      split.second = program.length
    }
    for (const end of ends) end.to = program.length
  }
  const emitRepetition = ({ isLazy, least, most, part }: Extract<Node, { readonly type: "repetition" }>) => {
    for (let times = 0; times < least; times++) emit(part)
    const begin = program.length
    const splits: Array<Extract<Instruction, { readonly op: "split" }>> = []
    for (let times = least; times < (most === Infinity ? least + 1 : most); times++) {
      splits.push(add({ op: "split", first: program.length + 1, second: program.length + 1 }))
      emit(part)
    }
    if (most === Infinity) add({ op: "jump", to: begin })
    for (const split of splits) split[isLazy ? "first" : "second"] = program.length
  }
  emit(root)
  add({ op: "match" })
  return program
}
