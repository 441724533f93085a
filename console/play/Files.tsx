import { useSignal } from "@preact/signals"
import type { Signal } from "@preact/signals"
import { useRef } from "preact/hooks"
import { bytes } from "../format.ts"
import { useApp } from "../hooks/useApp.ts"
import { Button } from "../parts/Button.tsx"
import { Icon } from "../parts/Icon.tsx"
import { Faint } from "../parts/text.tsx"
import { words } from "../words/words.ts"
import type { DroppedFile } from "./draft.ts"
import { readFile } from "./readFile.ts"

const text = words.playground

/** The largest file, in bytes. */
const largest = 20 * 1024 * 1024

const byName: Readonly<Record<string, string>> = {
  md: "text/markdown",
  csv: "text/csv",
  json: "application/json",
  txt: "text/plain"
}

const read = async (file: File): Promise<DroppedFile> => {
  const url = await readFile(file)
  const type = file.type === "" ? (byName[file.name.split(".").at(-1) ?? ""] ?? "text/plain") : file.type
  return { name: file.name, type, size: file.size, data: url.slice(url.indexOf(",") + 1) }
}

/** A place to drop or choose files. */
export const Files = ({
  files,
  says
}: {
  readonly files: Signal<ReadonlyArray<DroppedFile>>
  readonly says: string
}) => {
  const { toast } = useApp()
  const input = useRef<HTMLInputElement>(null)
  const isOver = useSignal(false)
  const take = async (list: FileList | null | undefined) => {
    for (const file of list ?? []) {
      if (file.size > largest) toast(text.tooLarge(file.name))
      else files.value = [...files.value, await read(file)]
    }
    if (input.current !== null) input.current.value = ""
  }
  return (
    <div
      class={isOver.value ? "drop over" : "drop"}
      onDragOver={(event) => {
        event.preventDefault()
        isOver.value = true
      }}
      onDragLeave={() => (isOver.value = false)}
      onDrop={(event) => {
        event.preventDefault()
        isOver.value = false
        void take(event.dataTransfer?.files)
      }}
    >
      <Icon name="upload" size={14} />
      {files.value.map((file, at) => (
        <span key={at} class="file">
          {file.name}
          <Faint>{bytes(file.size)}</Faint>
          <Button
            look="ghost small"
            label={text.remove(file.name)}
            onClick={() => (files.value = files.value.filter((one) => one !== file))}
          >
            ×
          </Button>
        </span>
      ))}
      <Faint>{says}</Faint>
      <Button look="small" onClick={() => input.current?.click()}>
        {text.choose}
      </Button>
      <input
        ref={input}
        type="file"
        multiple
        class="sr"
        tabIndex={-1}
        aria-label={text.choose}
        onChange={(event) => void take(event.currentTarget.files)}
      />
    </div>
  )
}
