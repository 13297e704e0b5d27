/** What the examples use of React Native and its libraries, in a few lines: their packages are large. */
declare module 'react' {
  export function useState<T>(first: T): [T, (next: T | ((before: T) => T)) => void];
  export function useEffect(work: () => unknown, on: readonly unknown[]): void;
}

declare module 'react/jsx-runtime' {
  export const jsx: unknown;
  export const jsxs: unknown;
  export const Fragment: unknown;
  export namespace JSX {
    type Element = object;
    interface ElementChildrenAttribute {
      children: unknown;
    }
  }
}

declare module 'react-native' {
  type Component<P> = (props: P) => object;
  export const SafeAreaView: Component<{ children: unknown }>;
  export const ScrollView: Component<{ children: unknown }>;
  export const Text: Component<{ children: string }>;
  export const Button: Component<{ title: string; onPress(): void }>;
  export const TextInput: Component<{
    value: string;
    onChangeText(text: string): void;
    onSubmitEditing(): void;
  }>;
}

declare module 'react-native-get-random-values' {}

declare module '@op-engineering/op-sqlite' {
  export function open(options: { name: string }): {
    executeSync(
      sql: string,
      values?: (string | number | null)[],
    ): { rows: Record<string, unknown>[]; rowsAffected: number };
    close(): void;
  };
}
