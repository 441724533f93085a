/** The content of an element. A string always becomes a text node: markup is never parsed. */
export type Child = Node | string | number | false | null | undefined | ReadonlyArray<Child>

/** Methods, so that a listener may ask for the event it gets. */
interface Listeners {
  click?(event: MouseEvent): void
  input?(event: Event): void
  change?(event: Event): void
  submit?(event: SubmitEvent): void
  keydown?(event: KeyboardEvent): void
  pointerdown?(event: PointerEvent): void
  pointermove?(event: PointerEvent): void
  pointerup?(event: PointerEvent): void
  pointerleave?(event: PointerEvent): void
  dragover?(event: DragEvent): void
  drop?(event: DragEvent): void
  close?(event: Event): void
  focus?(event: FocusEvent): void
  blur?(event: FocusEvent): void
  error?(event: Event): void
}

type Attribute = string | number | boolean | null | undefined

export interface Props {
  readonly class?: string | undefined
  readonly on?: Listeners
  /** Set as style properties, because the policy allows no style attribute. */
  readonly css?: Readonly<Record<string, string>>
  readonly [attribute: string]: Attribute | Listeners | Readonly<Record<string, string>>
}

const apply = (element: Element & ElementCSSInlineStyle, { class: names, css, on, ...attributes }: Props): void => {
  if (names !== undefined && names !== "") element.setAttribute("class", names)
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) element.setAttribute(name, "")
    else if (typeof value === "string" || typeof value === "number") element.setAttribute(name, String(value))
  }
  for (const [name, value] of Object.entries(css ?? {})) element.style.setProperty(name, value)
  for (const [name, listener] of Object.entries(on ?? {})) element.addEventListener(name, listener)
}

const add = (element: Element, children: ReadonlyArray<Child>): void => {
  for (const child of children) {
    if (child === false || child === null || child === undefined) continue
    if (child instanceof Node) element.append(child)
    else if (typeof child === "string" || typeof child === "number") element.append(String(child))
    else add(element, child)
  }
}

/** An element of SVG. */
export const s = <Tag extends keyof SVGElementTagNameMap>(
  tag: Tag,
  props: Props = {},
  ...children: ReadonlyArray<Child>
): SVGElementTagNameMap[Tag] => {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag)
  apply(element, props)
  add(element, children)
  return element
}
