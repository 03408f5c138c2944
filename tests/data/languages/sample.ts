import { Thing } from './thing';
import type { Other } from './other';

export type Id = string | number;

export interface Store<T> extends Base {
  get(key: string): T;
  readonly size: number;
}

export enum Color {
  Red,
  Green,
}

declare function external(x: number): void;

declare module 'things' {
  export function make(): Thing;
}

namespace Outer.Inner {
  export const value = 1;
  export function helper(): void {}
}

export function over(x: string): string;
export function over(x: number): number;
export function over(x: any): any {
  return x;
}

export abstract class Service<T> implements Store<T> {
  private items: T[] = [];

  constructor(private readonly name: string) {}

  abstract run(): void;

  @Input()
  @Output()
  async load<K extends string>(key: K): Promise<T> {
    return this.get(key);
  }

  get size(): number {
    return 1;
  }

  onClick = (event: Event): void => {
    console.log(event);
  };
}

@Component({
  selector: 'app',
})
export class AppComponent {
  go() {}
}

export const useStore = <T,>(x: T) => {
  return x;
};

export default class Named {}
