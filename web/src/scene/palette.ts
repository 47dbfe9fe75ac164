// Colours by role, for light and dark pages.
import type { Theme } from '../app/theme.svelte';

export interface Palette {
  background: number;
  edge: number;
  grid: number;
  sky: number; // light from above
  soil: number; // light from below
  orbit: number;
  trail: number;
  ocean: number;
  land: number;
  moon: number;
  sun: number;
  glow: number;
  marker: number;
  axes: [number, number, number];
  roles: Record<string, number>;
  arrows: Record<string, number>;
}

const arrows = { rate: 0xd6336c, torque: 0xe8590c, force: 0xc92a2a, field: 0x1c7ed6, momentum: 0x7048e8, sun: 0xe69500, velocity: 0x2f9e44 };

export const palettes: Record<Theme, Palette> = {
  light: {
    background: 0xf1f4f8,
    edge: 0x4a5260,
    grid: 0xc9d1dc,
    sky: 0xffffff,
    soil: 0xb9c0cc,
    orbit: 0x0b5cad,
    trail: 0xc8500a,
    ocean: 0x6f9fd0,
    land: 0x9db58a,
    moon: 0xb4b4b0,
    sun: 0xffd34d,
    glow: 0x8fbdec,
    marker: 0x0b5cad,
    axes: [0xc92a2a, 0x2b8a3e, 0x1c5fc4],
    roles: {
      bus: 0xd9c28a,
      panel: 0x2f5fa8,
      wheel: 0x8d7cc0,
      engine: 0x6b7380,
      boom: 0xaab3c0,
      probe: 0xd08f3c,
      tank: 0x86b3a6,
      arm: 0xe5873a,
      ground: 0xb4bcc8,
      part: 0xc3cad5,
    },
    arrows,
  },
  dark: {
    background: 0x0d1117,
    edge: 0x0a0d12,
    grid: 0x2b333f,
    sky: 0xdfe8f5,
    soil: 0x39424f,
    orbit: 0x72b1f7,
    trail: 0xff9f5a,
    ocean: 0x2b5f9c,
    land: 0x5f7f52,
    moon: 0x8a8a86,
    sun: 0xffd34d,
    glow: 0x3d7fc4,
    marker: 0x72b1f7,
    axes: [0xff6b6b, 0x69db7c, 0x74a8ff],
    roles: {
      bus: 0xcdb274,
      panel: 0x3a6fc0,
      wheel: 0x9c8bd6,
      engine: 0x848d9b,
      boom: 0x97a1b0,
      probe: 0xd39a4e,
      tank: 0x7fb3a4,
      arm: 0xe5873a,
      ground: 0x56606e,
      part: 0xa4adbb,
    },
    arrows: { ...arrows, field: 0x4dabf7, momentum: 0x9775fa, velocity: 0x51cf66, sun: 0xffc53d, rate: 0xf06595, force: 0xff6b6b, torque: 0xff922b },
  },
};
