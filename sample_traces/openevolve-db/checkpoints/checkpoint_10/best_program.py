# version
