"""What AMD drivers and tools tell: the kernel, amd-smi, rocm-smi."""
