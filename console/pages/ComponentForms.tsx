import { useSignal } from "@preact/signals"
import { Schema } from "effect"
import { Refused } from "../client.ts"
import { useApp } from "../hooks/useApp.ts"
import { Button, Segments } from "../parts/Button.tsx"
import { dollarsText, Invalid, useField, wholeNumber, wrong } from "../parts/form.ts"
import { Group, Select, TextArea, TextField } from "../parts/fields.tsx"
import { editedField, StaleEdit, useStaleEdit } from "../parts/StaleEdit.tsx"
import { Section } from "../parts/text.tsx"

/** Fields of each kind. */
export const Fields = () => {
  const { toast } = useApp()
  const [text, choice, long, whole] = [useField("text"), useField("a"), useField("text"), useField("12")]
  const chosen = useSignal<"a" | "b">("a")
  const check = () => {
    try {
      if (text.value.value === "") throw wrong(text, "Enter a text.")
      toast(`${wholeNumber(whole, "Whole") ?? ""} ${dollarsText(whole, "Whole") ?? ""}`)
    } catch (error) {
      if (error instanceof Invalid) toast(error.message)
    }
  }
  return (
    <Section title="Fields">
      <TextField id="text" label="Text" hint="What it means" of={text} />
      <TextField id="whole" label="Whole" of={whole} />
      <Select
        id="choice"
        label="Choice"
        of={choice}
        choices={[
          ["a", "One"],
          ["b", "Two"]
        ]}
      />
      <TextArea id="long" label="Long text" of={long} rows={3} />
      <Group label="One of two">
        <Segments
          label="One of two"
          chosen={chosen.value}
          choose={(value) => (chosen.value = value)}
          choices={[
            ["a", "One"],
            ["b", "Two"]
          ]}
        />
      </Group>
      <Button onClick={check}>Check</Button>
    </Section>
  )
}

const Thing = Schema.Struct({ version: Schema.Number, name: Schema.String, limit: Schema.String })
type Thing = typeof Thing.Type

/** A form whose record another user has changed. */
export const Stale = () => {
  const { toast } = useApp()
  const [name, limit] = [useField("mine"), useField("10")]
  const before: Thing = { version: 1, name: "first", limit: "10" }
  const current: Thing = { version: 2, name: "theirs", limit: "20" }
  const edit = useStaleEdit(
    before,
    [
      editedField<Thing>("Name", name, (thing) => thing.name),
      editedField<Thing>("Limit", limit, (thing) => thing.limit)
    ],
    Schema.is(Thing)
  )
  const write = async ({ version }: { readonly version?: number }) => {
    if (version === current.version) return toast("Saved")
    const said = { status: 409, code: "stale", message: "", requestId: null, tookMs: 1 }
    throw new Refused({ ...said, body: { error: { current } } })
  }
  return (
    <div class="fields">
      <TextField id="thing-name" label="Name of the thing" of={name} />
      <TextField id="thing-limit" label="Limit of the thing" of={limit} />
      <StaleEdit of={edit} />
      <div>
        <Button onClick={() => void edit.save(write).catch(() => undefined)}>Save</Button>
      </div>
    </div>
  )
}
