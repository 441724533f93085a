import { h, fill } from "../dom.ts"
import { button, faint } from "../components/bits.ts"
import { icon } from "../components/icons.ts"
import { bytes } from "../format.ts"
import { words } from "../words/words.ts"
import type { DroppedFile } from "./draft.ts"

const text = words.playground

/** The largest file, in bytes. */
const largest = 20 * 1024 * 1024

const byName: Readonly<Record<string, string>> = {
  md: "text/markdown",
  csv: "text/csv",
  json: "application/json",
  txt: "text/plain"
}

const read = (file: File): Promise<DroppedFile> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.addEventListener("error", () => reject(reader.error ?? new Error(file.name)))
    reader.addEventListener("load", () => {
      const url = typeof reader.result === "string" ? reader.result : ""
      const type = file.type === "" ? (byName[file.name.split(".").at(-1) ?? ""] ?? "text/plain") : file.type
      resolve({ name: file.name, type, size: file.size, data: url.slice(url.indexOf(",") + 1) })
    })
    reader.readAsDataURL(file)
  })

/** A place to drop or choose files. */
export const dropZone = (complain: (message: string) => void, changed: () => void) => {
  let files: ReadonlyArray<DroppedFile> = []
  const input = h("input", {
    type: "file",
    multiple: true,
    class: "sr",
    tabindex: -1,
    "aria-label": text.choose,
    on: { change: () => void take(input.files) }
  })
  const take = async (list: FileList | null) => {
    for (const file of list ?? []) {
      if (file.size > largest) complain(text.tooLarge(file.name))
      else files = [...files, await read(file)]
    }
    input.value = ""
    draw()
    changed()
  }
  const element = h("div", {
    class: "drop",
    on: {
      dragover(event) {
        event.preventDefault()
        element.classList.add("over")
      },
      drop(event) {
        event.preventDefault()
        element.classList.remove("over")
        void take(event.dataTransfer?.files ?? null)
      }
    }
  })
  element.addEventListener("dragleave", () => element.classList.remove("over"))
  const draw = () => {
    fill(
      element,
      icon("upload", 14),
      files.map((file) =>
        h(
          "span",
          { class: "file" },
          file.name,
          faint(bytes(file.size)),
          button(
            "×",
            () => {
              files = files.filter((one) => one !== file)
              draw()
              changed()
            },
            { look: "ghost small", "aria-label": text.remove(file.name) }
          )
        )
      ),
      h("span", { class: "faint" }, text.drop),
      button(text.choose, () => input.click(), { look: "small" }),
      input
    )
  }
  draw()
  return { element, files: () => files }
}
