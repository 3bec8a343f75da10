"""Samples per second of torchvision's DataLoader: python_loader.py images|mnist FOLDER WORKERS SAMPLES."""
import sys
import time

import numpy
import torch
from torch.utils.data import DataLoader, Dataset
from torchvision import transforms
from torchvision.datasets import ImageFolder
from PIL import Image


class Mnist(Dataset):
    """As torchvision.datasets.MNIST: a picture of the array in memory, then the transform."""

    def __init__(self, folder, transform):
        def idx(name, header):
            data = numpy.fromfile(f"{folder}/{name}", dtype=numpy.uint8)
            return torch.from_numpy(data[header:])

        self.data = idx("train-images-idx3-ubyte", 16).view(-1, 28, 28)
        self.targets = idx("train-labels-idx1-ubyte", 8).long()
        self.transform = transform

    def __len__(self):
        return len(self.data)

    def __getitem__(self, index):
        image, target = self.data[index], int(self.targets[index])
        return self.transform(Image.fromarray(image.numpy(), mode="L")), target


def main():
    what, folder, workers, samples = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    torch.set_num_threads(1)
    if what == "images":
        data = ImageFolder(folder, transforms.Compose([
            transforms.RandomCrop(32, padding=4), transforms.RandomHorizontalFlip(), transforms.ToTensor(),
            transforms.Normalize((0.4914, 0.4822, 0.4465), (0.247, 0.243, 0.262))]))
        loader = DataLoader(data, batch_size=128, shuffle=True, num_workers=workers, persistent_workers=workers > 0)
    else:
        data = Mnist(folder, transforms.ToTensor())
        loader = DataLoader(data, batch_size=64, shuffle=True, num_workers=workers, persistent_workers=workers > 0)

    def rate():
        start, done = time.perf_counter(), 0
        for images, _ in loader:
            done += len(images)
            if done >= samples:
                break
        return done / (time.perf_counter() - start)

    rate()  # starts the workers, fills the system's cache
    print(rate())


main()
