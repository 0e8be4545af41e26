"""The pure core: arrays in, arrays out; numpy and scipy only, no input or output."""
