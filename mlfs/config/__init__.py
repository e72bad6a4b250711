"""Read a YAML config and check it; find the configs that come with mlfs."""

from .parsing import load as load
from .parsing import load_all as load_all
from .parsing import parse as parse
from .parsing import schema as schema
