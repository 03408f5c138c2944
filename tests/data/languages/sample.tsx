import React from 'react';

interface Props {
  name: string;
}

export const Hello: React.FC<Props> = ({ name }) => {
  const click = () => alert(name);
  return <Button onClick={click}>{name}</Button>;
};

export default function App(): JSX.Element {
  return <Hello name="x" />;
}
