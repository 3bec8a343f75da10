#include "ui/graph/training_page.h"
