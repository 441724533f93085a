import { relative } from "node:path"
import type { Reporter, TestModule, TestSpecification } from "vitest/node"

/** How often at least it is said how far the run has come. */
const everyMs = 5_000

/** Says from the first second how far a run has come, and in which files it is: between two files that end it is silent otherwise. */
export default class Progress implements Reporter {
  private readonly open = new Set<string>()
  private ended = 0
  private ticking: ReturnType<typeof setInterval> | undefined

  onTestRunStart(files: ReadonlyArray<TestSpecification>) {
    const began = performance.now()
    console.log(`${files.length} files.`)
    this.ticking = setInterval(() => {
      const seconds = Math.round((performance.now() - began) / 1_000)
      const now = this.open.size === 0 ? "loading" : `in ${[...this.open].join(", ")}`
      console.log(` … ${seconds} s: ${this.ended} of ${files.length} files done, ${now}`)
    }, everyMs)
  }

  onTestModuleStart(module: TestModule) {
    this.open.add(relative(process.cwd(), module.moduleId))
  }

  onTestModuleEnd(module: TestModule) {
    this.open.delete(relative(process.cwd(), module.moduleId))
    this.ended++
  }

  onTestRunEnd() {
    clearInterval(this.ticking)
  }
}
